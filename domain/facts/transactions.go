package facts

import "astrolabe/starknet"

func transactions(block *starknet.BlockWithReceipts) []Transaction {
	list := make([]Transaction, len(block.Transactions))
	for i := range block.Transactions {
		tx, receipt := &block.Transactions[i].Transaction, &block.Transactions[i].Receipt
		list[i] = Transaction{
			Index:        i,
			Hash:         receipt.TransactionHash,
			Type:         tx.Type,
			Version:      tx.Version.Number,
			Calldata:     tx.Calldata,
			Envelope:     envelope(tx),
			Reverted:     receipt.ExecutionStatus == starknet.Reverted,
			RevertReason: receipt.RevertReason,
			Fee:          receipt.ActualFee.Amount,
			FeeUnit:      receipt.ActualFee.Unit,
			Resources:    receipt.ExecutionResources,
		}
		if tx.HasNonce() {
			list[i].Nonce = &tx.Nonce
		}
		list[i].name(tx, receipt)
	}
	return list
}

// name sets the addresses, the selector and the class, which depend on the
// type and version.
func (t *Transaction) name(tx *starknet.Transaction, receipt *starknet.Receipt) {
	switch tx.Type {
	case starknet.Invoke:
		if tx.Version.Number > 0 {
			t.Sender = &tx.SenderAddress
			return
		}
		t.Contract, t.Selector = &tx.ContractAddress, &tx.EntryPointSelector
	case starknet.L1Handler:
		t.Contract, t.Selector = &tx.ContractAddress, &tx.EntryPointSelector
	case starknet.Declare:
		t.Sender, t.Class = &tx.SenderAddress, &tx.ClassHash
	case starknet.Deploy, starknet.DeployAccount:
		t.Class, t.Calldata = &tx.ClassHash, tx.ConstructorCalldata
		t.Contract = receipt.ContractAddress
		if t.Contract == nil {
			address := tx.DeployedAddress()
			t.Contract = &address
		}
		if tx.Type == starknet.DeployAccount {
			t.Sender = t.Contract
		}
	}
}
