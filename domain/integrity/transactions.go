package integrity

import (
	"cmp"
	"fmt"

	"astrolabe/starknet"
	"astrolabe/starknet/commitment"
)

// verifyTransactions recomputes what follows from each transaction. It returns the
// first transaction whose hash is lost: a block that has one stays unverified.
func verifyTransactions(chainID starknet.Felt, block *starknet.BlockWithReceipts) (lost *MismatchError, err error) {
	if n := uint64(len(block.Transactions)); n != block.TransactionCount {
		return nil, mismatch(block.BlockNumber, "transaction_count", block.TransactionCount, n)
	}
	events := uint64(0)
	for i := range block.Transactions {
		tx, receipt := &block.Transactions[i].Transaction, &block.Transactions[i].Receipt
		events += uint64(len(receipt.Events))
		at := func(field string) string { return fmt.Sprintf("transactions[%d].%s", i, field) }
		if !tx.HasHash(chainID, receipt.TransactionHash) {
			computed, err := tx.ComputeHash(chainID)
			if err != nil {
				return nil, mismatch(block.BlockNumber, at("transaction.type"), string(tx.Type)+" "+tx.Version.String(), err)
			}
			differs := mismatch(block.BlockNumber, at("receipt.transaction_hash"), receipt.TransactionHash, computed)
			if !commitment.HashMayBeLost(&block.BlockHeader, tx) {
				return nil, differs
			}
			lost = cmp.Or(lost, differs)
		}
		if field, stated, follows := contradiction(tx, receipt); field != "" {
			return nil, mismatch(block.BlockNumber, at(field), stated, follows)
		}
	}
	if events != block.EventCount {
		return nil, mismatch(block.BlockNumber, "event_count", block.EventCount, events)
	}
	return lost, nil
}

// contradiction returns the first field of a receipt that does not follow from
// its transaction, with what it states and what follows; an empty field if
// there is none.
func contradiction(tx *starknet.Transaction, receipt *starknet.Receipt) (field, stated, follows string) {
	deployed := ""
	if tx.Type == starknet.Deploy || tx.Type == starknet.DeployAccount {
		deployed = tx.DeployedAddress().String()
	}
	unit := starknet.Wei
	if tx.Version.Number == 3 {
		unit = starknet.Fri
	}
	message := ""
	if m, ok := tx.L1Message(); ok {
		message = m.Hash().String()
		if old := m.HashWithoutNonce(); receipt.MessageHash != nil && *receipt.MessageHash == old {
			message = old.String()
		}
	}
	succeeded := receipt.ExecutionStatus == starknet.Succeeded
	switch {
	case receipt.Type != tx.Type:
		return "receipt.type", string(receipt.Type), string(tx.Type)
	case textOf(receipt.ContractAddress) != deployed:
		return "receipt.contract_address", textOf(receipt.ContractAddress), deployed
	case textOf(receipt.MessageHash) != message:
		return "receipt.message_hash", textOf(receipt.MessageHash), message
	case receipt.ActualFee.Unit != unit && tx.Type != starknet.L1Handler:
		return "receipt.actual_fee.unit", string(receipt.ActualFee.Unit), string(unit)
	case succeeded && receipt.RevertReason != "":
		return "receipt.revert_reason", fmt.Sprintf("%.80q", receipt.RevertReason), `"" for a transaction that succeeded`
	}
	return "", "", ""
}

// textOf is empty for nil.
func textOf[T fmt.Stringer](v *T) string {
	if v == nil {
		return ""
	}
	return (*v).String()
}
