package facts

import (
	"fmt"

	"astrolabe/starknet"
)

// messages lists the messages of both directions in the order of their keys:
// a transaction's one from L1 comes before those to it.
func messages(block *starknet.BlockWithReceipts) ([]Message, error) {
	var list []Message
	for i := range block.Transactions {
		tx, receipt := &block.Transactions[i].Transaction, &block.Transactions[i].Receipt
		if tx.Type == starknet.L1Handler {
			message, ok := tx.L1Message()
			if !ok {
				return nil, fmt.Errorf("%w: L1 handler %s of block %d has no sender", ErrContradiction, receipt.TransactionHash, block.BlockNumber)
			}
			hash, ok := hashOf(&message, receipt)
			if !ok {
				return nil, fmt.Errorf("%w: L1 handler %s of block %d has the message hash %s, its receipt states %s", ErrContradiction, receipt.TransactionHash, block.BlockNumber, message.Hash(), hash)
			}
			list = append(list, Message{
				TxIndex: i, Direction: L1ToL2, Hash: hash,
				From: message.FromAddress, To: message.ToAddress,
				Nonce: &tx.Nonce, Selector: &tx.EntryPointSelector, Payload: message.Payload,
			})
		}
		for j := range receipt.MessagesSent {
			message := &receipt.MessagesSent[j]
			list = append(list, Message{
				TxIndex: i, Direction: L2ToL1, Index: j, Hash: message.Hash(),
				From: message.FromAddress, To: message.ToAddress, Payload: message.Payload,
			})
		}
	}
	return list, nil
}

// hashOf returns the hash of a message from L1, and false if the receipt has
// another one. The oldest messages had no nonce and another formula: their hash
// is only in the receipt.
func hashOf(message *starknet.MessageFromL1, receipt *starknet.Receipt) (starknet.Hash256, bool) {
	hash := message.Hash()
	if said := receipt.MessageHash; said != nil && *said != hash {
		return *said, *said == message.HashWithoutNonce()
	}
	return hash, true
}
