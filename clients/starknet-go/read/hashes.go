package main

import (
	"math/big"

	"github.com/NethermindEth/juno/core/felt"
	"github.com/NethermindEth/starknet.go/account"
	"github.com/NethermindEth/starknet.go/curve"
	"github.com/NethermindEth/starknet.go/hash"
	"github.com/NethermindEth/starknet.go/rpc"
	"github.com/NethermindEth/starknet.go/utils"
)

// transactionHash computes a transaction's hash by starknet.go's formulas.
func transactionHash(t rpc.Transaction, receipt *rpc.TransactionReceipt, chainID *felt.Felt) *felt.Felt {
	switch t := t.(type) {
	case rpc.InvokeTxnV0:
		return got(hash.TransactionHashInvokeV0(&t, chainID))
	case rpc.InvokeTxnV1:
		return got(hash.TransactionHashInvokeV1(&t, chainID))
	case rpc.InvokeTxnV3:
		return got(hash.TransactionHashInvokeV3(&t, chainID))
	case rpc.DeclareTxnV0:
		return hash.CalculateDeprecatedTransactionHashCommon(new(felt.Felt).SetBytes([]byte("declare")), &felt.Zero, t.SenderAddress,
			&felt.Zero, curve.PedersenArray(), t.MaxFee, chainID, []*felt.Felt{t.ClassHash})
	case rpc.DeployTxn:
		address := deployedAddress(t.ContractAddressSalt, t.ClassHash, t.ConstructorCalldata, receipt)
		return hash.CalculateDeprecatedTransactionHashCommon(new(felt.Felt).SetBytes([]byte("deploy")), &felt.Zero, address,
			utils.GetSelectorFromNameFelt("constructor"), curve.PedersenArray(t.ConstructorCalldata...), &felt.Zero, chainID, nil)
	case rpc.DeclareTxnV1:
		return got(hash.TransactionHashDeclareV1(&t, chainID))
	case rpc.DeclareTxnV2:
		return got(hash.TransactionHashDeclareV2(&t, chainID))
	case rpc.DeclareTxnV3:
		return got(hash.TransactionHashDeclareV3(&t, chainID))
	case rpc.DeployAccountTxnV1:
		address := deployedAddress(t.ContractAddressSalt, t.ClassHash, t.ConstructorCalldata, receipt)
		return got(hash.TransactionHashDeployAccountV1(&t, address, chainID))
	case rpc.DeployAccountTxnV3:
		address := deployedAddress(t.ContractAddressSalt, t.ClassHash, t.ConstructorCalldata, receipt)
		return got(hash.TransactionHashDeployAccountV3(&t, address, chainID))
	case rpc.L1HandlerTxn:
		checkMessage(&t, receipt)
		prefix, nonce := new(felt.Felt).SetBytes([]byte("l1_handler")), got(utils.HexToFelt(t.Nonce))
		return hash.CalculateDeprecatedTransactionHashCommon(prefix, &felt.Zero, t.ContractAddress, t.EntryPointSelector,
			curve.PedersenArray(t.Calldata...), &felt.Zero, chainID, []*felt.Felt{nonce})
	}
	expect(false, "starknet.go has no hash for a %T", t)
	return nil
}

func deployedAddress(salt, class *felt.Felt, calldata []*felt.Felt, receipt *rpc.TransactionReceipt) *felt.Felt {
	address := account.PrecomputeAccountAddress(salt, class, calldata)
	same(address, receipt.ContractAddress, "address of a deployed account")
	return address
}

// checkMessage computes the hash of a message from L1: Keccak-256 over words of 32 bytes.
func checkMessage(t *rpc.L1HandlerTxn, receipt *rpc.TransactionReceipt) {
	words := []*felt.Felt{t.Calldata[0], t.ContractAddress, got(utils.HexToFelt(t.Nonce)), t.EntryPointSelector, utils.Uint64ToFelt(uint64(len(t.Calldata) - 1))}
	var packed []byte
	for _, word := range append(words, t.Calldata[1:]...) {
		bytes := word.Bytes()
		packed = append(packed, bytes[:]...)
	}
	computed := new(big.Int).SetBytes(utils.Keccak256(packed))
	expect(computed.Cmp(utils.HexToBN(string(receipt.MessageHash))) == 0, "message hash of %s", receipt.Hash)
}
