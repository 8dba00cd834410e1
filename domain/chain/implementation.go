package chain

import (
	"context"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/starknet"
)

// ContractAt is a contract at a block.
type ContractAt struct {
	Address starknet.Felt
	Block   uint64
}

// Proxied is the proxy slots of a contract around a block: the newest of each
// from before, and those of the block itself.
type Proxied struct {
	Slots facts.ImplementationHistory
	// Contracts are the classes around the block of the contracts that the slots
	// name.
	Contracts map[starknet.Felt]facts.ClassHistory
}

// ImplementationStore reads what proxies execute.
type ImplementationStore interface {
	// ProxiedAt returns the proxy slots of each contract, in order.
	ProxiedAt(ctx context.Context, c domain.Chain, contracts []ContractAt) ([]Proxied, error)
}

// Implementations answers which classes proxies execute.
type Implementations struct {
	store   ImplementationStore
	classes *CompiledClasses
}

// NewImplementations makes the service.
func NewImplementations(store ImplementationStore, classes *CompiledClasses) *Implementations {
	return &Implementations{store, classes}
}

// Fill adds to the classes of contracts around their blocks what they execute.
// It reads nothing unless some of them are proxies.
func (s *Implementations) Fill(ctx context.Context, c domain.Chain, contracts []ContractAt, runtimes []facts.Runtime) error {
	var (
		proxies []ContractAt
		places  []int
	)
	for i := range runtimes {
		if facts.SlotFamilies(runtimes[i].Before, runtimes[i].After) != nil {
			proxies, places = append(proxies, contracts[i]), append(places, i)
		}
	}
	if len(proxies) == 0 {
		return nil
	}
	found, err := s.store.ProxiedAt(ctx, c, proxies)
	if err != nil {
		return err
	}
	var hashes []starknet.Felt
	for i := range found {
		hashes = append(hashes, found[i].classes()...)
	}
	classes, err := s.classes.Of(ctx, c, hashes)
	if err != nil {
		return err
	}
	for i, proxy := range proxies {
		before, after := found[i].Slots.Around(proxy.Block)
		view := facts.HistoryView{Block: proxy.Block, Histories: found[i].Contracts, Classes: classes}
		runtimes[places[i]].Implement(before, after, func(hash starknet.Felt) *facts.Class { return classes[hash] }, view.Runtime)
	}
	return nil
}

// classes lists every class that the slots lead to.
func (p *Proxied) classes() (hashes []starknet.Felt) {
	for i := range p.Slots {
		if p.Slots[i].Class != nil {
			hashes = append(hashes, *p.Slots[i].Class)
		}
	}
	for _, history := range p.Contracts {
		for i := range history {
			hashes = append(hashes, history[i].Class)
		}
	}
	return hashes
}
