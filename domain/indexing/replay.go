package indexing

import (
	"context"
	"maps"
	"slices"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/starknet"
)

// Histories are the stored classes that derivers need.
type Histories interface {
	// Classes returns the stored classes of the hashes.
	Classes(ctx context.Context, c domain.Chain, hashes []starknet.Felt) (map[starknet.Felt]*facts.Class, error)
	// ClassHistories returns the indexed classes of the contracts. A contract
	// that has none is absent.
	ClassHistories(ctx context.Context, c domain.Chain, contracts []starknet.Felt) (map[starknet.Felt]facts.ClassHistory, error)
	// ImplementationHistories returns the indexed proxy slots of the contracts.
	// A contract that has none is absent.
	ImplementationHistories(ctx context.Context, c domain.Chain, contracts []starknet.Felt) (map[starknet.Felt]facts.ImplementationHistory, error)
	// PrivacyPools returns the privacy pools of the chain whose events are
	// indexed, in order.
	PrivacyPools(ctx context.Context, c domain.Chain) ([]starknet.Felt, error)
}

// Replay runs the derivers over stored blocks, without the node.
type Replay struct {
	chain   domain.Chain
	stored  Histories
	classes map[starknet.Felt]*facts.Class
}

// NewReplay makes a replay of one chain.
func NewReplay(c domain.Chain, stored Histories) *Replay {
	return &Replay{chain: c, stored: stored, classes: make(map[starknet.Felt]*facts.Class)}
}

// compiledClasses bounds the compiled ABIs that are kept from run to run.
const compiledClasses = 1000

// Derive returns the blocks with the rows of the given tables derived again.
// Rows of other tables, on which these may depend, are kept. Tokens are all
// tokens of a block, also those that earlier blocks show.
func (r *Replay) Derive(ctx context.Context, blocks []facts.Block, tables ...facts.Table) ([]facts.Block, error) {
	view, pools, err := r.View(ctx, blocks)
	if err != nil {
		return nil, err
	}
	derived := slices.Clone(blocks)
	for i := range derived {
		b := &derived[i]
		view.Block = b.Header.Number
		for _, table := range facts.Tables { // in the order of their dependence
			if !slices.Contains(tables, table) {
				continue
			}
			switch table {
			case facts.TableDeployments:
				b.Deployments = facts.Deployments(b.Changes, b.Transactions, b.Events)
			case facts.TableTransfers:
				b.Transfers, _ = facts.Transfers(b.Events, view)
			case facts.TableUntyped:
				_, b.Untyped = facts.Transfers(b.Events, view)
			case facts.TablePrivacyEvents:
				b.PoolEvents = facts.PoolEvents(b.Events, pools, view)
			case facts.TableActivity:
				b.Activity = facts.Activities(b.Transactions, b.Transfers, b.Deployments, b.Changes, b.Events)
			case facts.TableTokens:
				b.Tokens = facts.Tokens(b.Changes, b.Implementations, b.Transfers, view)
			}
		}
	}
	return derived, nil
}

// View reads the classes and implementations around the blocks of every
// contract that their events and changes name. The caller sets the view's block.
// It also returns the privacy pools of the chain.
func (r *Replay) View(ctx context.Context, blocks []facts.Block) (facts.HistoryView, []starknet.Felt, error) {
	pools, err := r.stored.PrivacyPools(ctx, r.chain)
	if err != nil {
		return facts.HistoryView{}, nil, err
	}
	contracts := slices.Clone(pools)
	for i := range blocks {
		for j := range blocks[i].Events {
			if facts.MayTransfer(&blocks[i].Events[j].Event) {
				contracts = append(contracts, blocks[i].Events[j].FromAddress)
			}
		}
		for j := range blocks[i].Changes {
			contracts = append(contracts, blocks[i].Changes[j].Address)
		}
		for j := range blocks[i].Implementations {
			contracts = append(contracts, blocks[i].Implementations[j].Address)
		}
	}
	implementations, err := r.stored.ImplementationHistories(ctx, r.chain, distinct(contracts))
	if err != nil {
		return facts.HistoryView{}, nil, err
	}
	for _, slots := range implementations {
		for i := range slots {
			if slots[i].Contract != nil {
				contracts = append(contracts, *slots[i].Contract)
			}
		}
	}
	histories, err := r.stored.ClassHistories(ctx, r.chain, distinct(contracts))
	if err != nil {
		return facts.HistoryView{}, nil, err
	}
	view := facts.HistoryView{Histories: histories, Classes: r.classes, Implementations: implementations}
	return view, pools, r.load(ctx, &view)
}

func distinct(felts []starknet.Felt) []starknet.Felt {
	return slices.Compact(slices.SortedFunc(slices.Values(felts), starknet.Felt.Cmp))
}

// load reads the classes of the view that are not known yet.
func (r *Replay) load(ctx context.Context, view *facts.HistoryView) error {
	if len(r.classes) > compiledClasses {
		clear(r.classes)
	}
	unknown := make(map[starknet.Felt]bool)
	want := func(hash starknet.Felt) {
		if r.classes[hash] == nil {
			unknown[hash] = true
		}
	}
	for _, history := range view.Histories {
		for i := range history {
			want(history[i].Class)
		}
	}
	for _, slots := range view.Implementations {
		for i := range slots {
			if slots[i].Class != nil {
				want(*slots[i].Class)
			}
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	found, err := r.stored.Classes(ctx, r.chain, slices.Collect(maps.Keys(unknown)))
	maps.Copy(r.classes, found)
	return err
}
