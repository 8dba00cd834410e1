package fsck

import (
	"context"
	"errors"
	"fmt"

	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/starknet"
)

// implementations resolves the block's writes to proxy slots, and reads the
// slots that were observed before the block again.
func (l *inspection) implementations(ctx context.Context, block *starknet.BlockWithReceipts, update *starknet.StateUpdate, stored []facts.Implementation, at facts.View) ([]facts.Implementation, error) {
	ledger := nodeLedger{ctx, l, block.BlockHash}
	list, err := facts.ResolveWrites(facts.SlotWrites(&update.StateDiff), ledger)
	if err != nil {
		return nil, err
	}
	observed := map[starknet.Felt]bool{}
	for i := range stored {
		address := stored[i].Address
		runtime := at.Runtime(address)
		families := facts.SlotFamilies(runtime.Before, runtime.After)
		if stored[i].Origin != facts.Observed || observed[address] || families == nil {
			continue
		}
		observed[address] = true
		rows, err := facts.ObserveSlots(address, families, func(slot starknet.Felt) (starknet.Felt, error) {
			return l.Node.StorageAt(ctx, block.ParentHash, address, slot)
		}, ledger)
		if err != nil {
			return nil, fmt.Errorf("read the implementation of %s from the node: %w", address, err)
		}
		list = append(list, rows...)
	}
	return list, nil
}

// nodeLedger is the classes and contracts of the node after a block.
type nodeLedger struct {
	ctx context.Context
	*inspection
	at starknet.Felt
}

// HasClass implements facts.Ledger. The chain has a class that is stored as
// missing, even if the node does not.
func (n nodeLedger) HasClass(hash starknet.Felt) (bool, error) {
	_, err := n.Node.Class(n.ctx, n.at, hash)
	switch {
	case errors.Is(err, chain.ErrUnprovenClass):
		return true, nil
	case errors.Is(err, chain.ErrNoClass):
		stored, err := n.Archive.Classes(n.ctx, n.Chain, []starknet.Felt{hash})
		return stored[hash] != nil && stored[hash].Missing, err
	}
	return err == nil, err
}

// HasContract implements facts.Ledger.
func (n nodeLedger) HasContract(address starknet.Felt) (bool, error) {
	_, exists, err := n.Node.ClassHashAt(n.ctx, n.at, address)
	return exists, err
}
