package repair

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/starknet"
)

// block repairs one block.
func (j *Job) block(ctx context.Context, lease indexing.Lease, number uint64) error {
	at, err := j.Checkpoints.Checkpoint(ctx, j.Chain)
	if err != nil {
		return err
	}
	if at == nil || number < at.First || number >= at.Next() {
		if err := j.Store.RemoveBlock(ctx, lease, number); err != nil {
			return err
		}
		j.report("block %d is not indexed; its rows were removed", number)
		return nil
	}
	around, held, err := j.Store.Surroundings(ctx, j.Chain, number)
	if err != nil {
		return err
	}
	if !held {
		return fmt.Errorf("block %d belongs to no partition; run: astrolabe fsck --chain %s", number, j.Chain)
	}
	block, update, err := j.fetch(ctx, number, around)
	if err != nil {
		return err
	}
	expected, err := j.derive(ctx, at, block, update)
	if err != nil {
		return err
	}
	stored, digest, err := j.stored(ctx, number)
	if err != nil {
		return err
	}
	difference, changed := "rows cannot be read", true
	if stored != nil {
		var d facts.Difference
		d, changed = facts.FirstDifference(stored, &expected)
		difference = d.String()
	}
	forgotten, err := j.Store.RepairBlock(ctx, lease, around.Range, expected, changed)
	if err != nil {
		return err
	}
	switch {
	case changed:
		j.report("block %d rewritten: %s", number, difference)
	case digest == nil:
		j.report("block %d confirmed, and its digest stored", number)
	default:
		j.report("block %d confirmed", number)
	}
	return j.follow(ctx, lease, number, affected(stored, &expected, forgotten))
}

// stored returns a block as it is stored; nil if it cannot be read.
func (j *Job) stored(ctx context.Context, number uint64) (*facts.Block, *facts.Digest, error) {
	for run, err := range j.Archive.StoredRuns(ctx, j.Chain, number, number) {
		if errors.Is(err, indexing.ErrDamaged) {
			return nil, nil, nil
		}
		if err != nil {
			// A table that is missing cannot be read either; repairing creates it.
			return nil, nil, nil //nolint:nilerr // the write that follows reports an outage
		}
		return &run.Blocks[0], run.Digests[0], nil
	}
	return nil, nil, nil
}

// derive returns all rows of a block of the node, as an index that reached it
// without damage would have stored them.
func (j *Job) derive(ctx context.Context, at *indexing.Checkpoint, block *starknet.BlockWithReceipts, update *starknet.StateUpdate) (facts.Block, error) {
	number := block.BlockNumber
	histories, observed, err := j.histories(ctx, at, block, update)
	if err != nil {
		return facts.Block{}, err
	}
	classes, first, err := j.classes(ctx, number, block.BlockHash, histories, update)
	if err != nil {
		return facts.Block{}, err
	}
	view := facts.HistoryView{Block: number, Histories: histories, Classes: classes}
	expected, err := facts.Derive(block, update, observed, view)
	if err != nil {
		return facts.Block{}, fmt.Errorf("block %d of the node: %w", number, err)
	}
	expected.Classes = first
	seen, err := j.Archive.FirstSeen(ctx, j.Chain, number)
	expected.Tokens = seen.First(number, expected.Tokens)
	return expected, err
}

// histories returns the classes of the block's contracts up to the block: the
// stored ones before it, and those of the state update. In a partial history it
// also asks the node for the classes of contracts that the block involves first.
func (j *Job) histories(ctx context.Context, at *indexing.Checkpoint, block *starknet.BlockWithReceipts, update *starknet.StateUpdate) (map[starknet.Felt]facts.ClassHistory, []facts.ClassChange, error) {
	involved := make(map[starknet.Felt]bool)
	for i := range block.Transactions {
		for k := range block.Transactions[i].Receipt.Events {
			e := &block.Transactions[i].Receipt.Events[k]
			if at.First > 0 || facts.MayTransfer(e) {
				involved[e.FromAddress] = true
			}
		}
	}
	diff := &update.StateDiff
	for i := range diff.ReplacedClasses {
		involved[diff.ReplacedClasses[i].ContractAddress] = true
	}
	for i := range diff.DeployedContracts {
		involved[diff.DeployedContracts[i].Address] = false // it has no earlier class
	}
	var older []starknet.Felt
	for contract, before := range involved {
		if before {
			older = append(older, contract)
		}
	}
	slices.SortFunc(older, starknet.Felt.Cmp)
	stored, err := j.Archive.ClassHistories(ctx, j.Chain, older)
	if err != nil {
		return nil, nil, err
	}
	histories := make(map[starknet.Felt]facts.ClassHistory)
	var observed []facts.ClassChange
	for _, contract := range older {
		history := slices.DeleteFunc(stored[contract], func(s facts.ClassSince) bool { return s.Block >= block.BlockNumber })
		if len(history) == 0 && at.First > 0 {
			class, exists, err := j.Node.ClassHashAt(ctx, block.ParentHash, contract)
			if err != nil {
				return nil, nil, fmt.Errorf("read the class of %s from the node: %w", contract, err)
			}
			if exists {
				observed = append(observed, facts.ClassChange{Address: contract, Origin: facts.Observed, Class: class})
				history = facts.ClassHistory{{Block: block.BlockNumber, Origin: facts.Observed, Class: class}}
			}
		}
		histories[contract] = history
	}
	since := func(contract starknet.Felt, origin facts.Origin, class starknet.Felt) {
		histories[contract] = append(histories[contract], facts.ClassSince{Block: block.BlockNumber, Origin: origin, Class: class})
	}
	for i := range diff.DeployedContracts {
		since(diff.DeployedContracts[i].Address, facts.Deployed, diff.DeployedContracts[i].ClassHash)
	}
	for i := range diff.ReplacedClasses {
		since(diff.ReplacedClasses[i].ContractAddress, facts.Replaced, diff.ReplacedClasses[i].ClassHash)
	}
	return histories, observed, nil
}
