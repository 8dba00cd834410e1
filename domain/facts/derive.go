package facts

import (
	"fmt"

	"astrolabe/starknet"
)

// Lookups are the facts of a block that its state update alone does not tell.
type Lookups struct {
	// Classes are the classes of contracts that were set before the first
	// indexed block.
	Classes []ClassChange
	// Implementations are the resolved writes to proxy slots, and the slots
	// that were set before the first indexed block.
	Implementations []Implementation
	// Pools are the privacy pools of the chain.
	Pools []starknet.Felt
}

// Derive returns all rows of a block except Classes, which the caller adds.
//
// The result shares the block's memory, so neither may be modified afterwards.
// Derive returns ErrTooLarge for a block that cannot be stored, and
// ErrContradiction if block, state update and lookups are inconsistent.
func Derive(block *starknet.BlockWithReceipts, update *starknet.StateUpdate, found Lookups, at View) (Block, error) {
	if update.BlockHash != block.BlockHash {
		return Block{}, fmt.Errorf("%w: block %d is %s, the state update is of %s", ErrContradiction, block.BlockNumber, block.BlockHash, update.BlockHash)
	}
	if update.NewRoot != block.NewRoot {
		return Block{}, fmt.Errorf("%w: block %d leads to the state %s, its state update to %s", ErrContradiction, block.BlockNumber, block.NewRoot, update.NewRoot)
	}
	events, err := checkBlock(block)
	if err != nil {
		return Block{}, err
	}
	b := Block{
		Header:       header(block, events),
		Transactions: transactions(block),
		Events:       allEvents(block, events),
	}
	if b.Messages, err = messages(block); err != nil {
		return Block{}, err
	}
	if b.Declarations, err = declarations(&update.StateDiff, b.Transactions); err != nil {
		return Block{}, err
	}
	if b.Changes, err = changes(&update.StateDiff, found.Classes); err != nil {
		return Block{}, err
	}
	if b.Implementations, err = implementations(&update.StateDiff, found.Implementations); err != nil {
		return Block{}, err
	}
	b.Deployments = Deployments(b.Changes, b.Transactions, b.Events)
	b.Transfers, b.Untyped = Transfers(b.Events, at)
	b.PoolEvents = PoolEvents(b.Events, found.Pools, at)
	b.Tokens = Tokens(b.Changes, b.Implementations, b.Transfers, at)
	b.Activity = Activities(b.Transactions, b.Transfers, b.Deployments, b.Changes, b.Events)
	return b, checkDerived(&b)
}

func header(block *starknet.BlockWithReceipts, events int) Header {
	return Header{
		Number:       block.BlockNumber,
		Hash:         block.BlockHash,
		ParentHash:   block.ParentHash,
		StateRoot:    block.NewRoot,
		Sequencer:    block.SequencerAddress,
		Timestamp:    block.Timestamp,
		Version:      storable(block.StarknetVersion),
		L1DAMode:     block.L1DAMode,
		L1Gas:        block.L1GasPrice,
		L1DataGas:    block.L1DataGasPrice,
		L2Gas:        block.L2GasPrice,
		Transactions: len(block.Transactions),
		Events:       events,
		Verification: Unverified, // the caller knows better
	}
}

func allEvents(block *starknet.BlockWithReceipts, count int) []Event {
	list := make([]Event, 0, count)
	for tx := range block.Transactions {
		for log, event := range block.Transactions[tx].Receipt.Events {
			list = append(list, Event{TxIndex: tx, LogIndex: log, Event: event})
		}
	}
	return list
}
