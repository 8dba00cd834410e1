package index

import (
	"context"
	"errors"
	"slices"

	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/starknet"
)

// implementing finds what proxies execute around one block.
type implementing struct {
	*memory
	ctx    context.Context
	t      *turns
	block  *starknet.BlockWithReceipts
	update *starknet.StateUpdate
	view   view

	before, after map[starknet.Felt]facts.Slots
	found         facts.Lookups
	fresh         []*facts.Class // that the index does not have yet
}

// implementations resolves the block's writes to proxy slots, and finds the
// slots of the view's proxies. It adds the contracts whose class they execute to
// the view, and loads the classes.
//
// A proxy of which no slot is indexed was set up before the indexed history, or
// before the index kept slots: it is asked of the node once, and the answer is a
// row of this block.
func (m *memory) implementations(ctx context.Context, t *turns, block *starknet.BlockWithReceipts, update *starknet.StateUpdate, view view) (*implementing, error) {
	p := &implementing{
		memory: m, ctx: ctx, t: t, block: block, update: update, view: view,
		before: map[starknet.Felt]facts.Slots{}, after: map[starknet.Felt]facts.Slots{},
	}
	writes := facts.SlotWrites(&update.StateDiff)
	proxies := p.proxies()
	if len(writes) == 0 && len(proxies) == 0 {
		return p, nil
	}
	if err := p.recallSlots(writes, proxies); err != nil {
		return nil, err
	}
	written, err := facts.ResolveWrites(writes, p)
	if err != nil {
		return nil, err
	}
	for i := range written {
		w := &written[i]
		if _, known := p.after[w.Address]; !known {
			p.after[w.Address] = p.before[w.Address]
		}
		p.after[w.Address] = p.after[w.Address].With(w.Family, w.Executed)
	}
	p.found.Implementations = append(p.found.Implementations, written...)
	return p, p.loadExecuted()
}

// proxies returns the contracts of the view that are a proxy before or after the
// block, by address, with the families of their slots.
func (p *implementing) proxies() map[starknet.Felt][]facts.ProxyFamily {
	proxies := map[starknet.Felt][]facts.ProxyFamily{}
	for address := range p.view {
		hash, _ := p.runtimes.Get(address)
		if families := p.class(hash).Families(); families != nil {
			proxies[address] = families
		}
	}
	for i := range p.update.StateDiff.ReplacedClasses {
		c := &p.update.StateDiff.ReplacedClasses[i]
		hash, _ := p.runtimes.Get(c.ContractAddress)
		if families := facts.SlotFamilies(p.class(hash), p.class(c.ClassHash)); families != nil {
			proxies[c.ContractAddress] = families
		}
	}
	return proxies
}

// recallSlots loads the slots before the block of the proxies and of all
// contracts that write one.
func (p *implementing) recallSlots(writes []facts.SlotWrite, proxies map[starknet.Felt][]facts.ProxyFamily) error {
	var unknown []starknet.Felt
	want := func(address starknet.Felt) {
		if _, asked := p.before[address]; asked {
			return
		}
		slots, known := p.slots.Get(address)
		p.before[address] = slots
		if !known && !p.deployed(address) {
			unknown = append(unknown, address)
		}
	}
	for address := range proxies {
		want(address)
	}
	for i := range writes {
		want(writes[i].Address)
	}
	if len(unknown) == 0 {
		return nil
	}
	slices.SortFunc(unknown, starknet.Felt.Cmp)
	histories, err := p.t.Classes.ImplementationHistories(p.ctx, p.t.Chain, unknown)
	if err != nil {
		return err
	}
	for _, address := range unknown {
		if history := histories[address]; len(history) > 0 {
			_, p.before[address] = history.Around(p.block.BlockNumber)
			p.after[address] = p.before[address]
		} else if families := proxies[address]; families != nil {
			if err := p.observeSlots(address, families); err != nil {
				return err
			}
		}
	}
	return nil
}

// deployed reports whether a contract was deployed in the block, so that it had
// no storage before.
func (p *implementing) deployed(address starknet.Felt) bool {
	return slices.ContainsFunc(p.update.StateDiff.DeployedContracts, func(c starknet.DeployedContract) bool { return c.Address == address })
}

// observeSlots asks the node for the slots of a proxy before the block.
func (p *implementing) observeSlots(address starknet.Felt, families []facts.ProxyFamily) error {
	rows, err := facts.ObserveSlots(address, families, func(slot starknet.Felt) (starknet.Felt, error) {
		return p.t.Node.StorageAt(p.ctx, p.block.ParentHash, address, slot)
	}, p)
	if err != nil {
		return err
	}
	for i := range rows {
		p.before[address] = p.before[address].With(rows[i].Family, rows[i].Executed)
	}
	p.after[address] = p.before[address]
	p.found.Implementations = append(p.found.Implementations, rows...)
	return nil
}

// HasClass implements facts.Ledger.
func (p *implementing) HasClass(hash starknet.Felt) (bool, error) {
	class := p.class(hash)
	if class == nil {
		stored, err := p.t.Classes.Classes(p.ctx, p.t.Chain, []starknet.Felt{hash})
		if err != nil {
			return false, err
		}
		if class = stored[hash]; class != nil {
			p.classes.Put(hash, class, classWeight(class))
		}
	}
	if class != nil {
		return true, nil // also one that is missing: a block or a slot names it
	}
	class, err := p.t.readClass(p.ctx, p.block, hash, unsaid)
	if errors.Is(err, chain.ErrNoClass) {
		return false, nil // anything can be written to a slot
	}
	if err != nil {
		return false, err
	}
	p.fresh = append(p.fresh, p.admit(class)...)
	return true, nil
}

// HasContract implements facts.Ledger.
func (p *implementing) HasContract(address starknet.Felt) (bool, error) {
	if err := p.recallContract(address); err != nil || p.deployed(address) {
		return err == nil, err
	}
	class, _ := p.runtimes.Get(address)
	return class != noContract, nil
}

// recallContract adds a contract to the view.
func (p *implementing) recallContract(address starknet.Felt) error {
	if _, seen := p.view[address]; seen {
		return nil
	}
	p.view[address] = facts.Runtime{}
	if _, known := p.runtimes.Get(address); known {
		return nil
	}
	observed, err := p.recallContracts(p.ctx, p.t, p.block.ParentHash, []starknet.Felt{address})
	p.found.Classes = append(p.found.Classes, observed...)
	return err
}

// loadExecuted loads the classes that the proxies execute.
func (p *implementing) loadExecuted() error {
	named := make(languages)
	for _, around := range []map[starknet.Felt]facts.Slots{p.before, p.after} {
		for _, slots := range around {
			for _, executed := range slots {
				if executed.Class != nil {
					named.mention(*executed.Class)
				}
				if executed.Contract == nil {
					continue
				}
				if err := p.recallContract(*executed.Contract); err != nil {
					return err
				}
			}
		}
	}
	for address := range p.view {
		if hash, _ := p.runtimes.Get(address); hash != noContract {
			named.mention(hash)
		}
	}
	fresh, err := p.loadClasses(p.ctx, p.t, p.block, named)
	p.fresh = append(p.fresh, fresh...)
	return err
}

// see fills the view with what the proxies execute, and caches the slots. A
// contract without any row is not cached: whether it is asked of the node must
// not depend on what this process has seen.
func (p *implementing) see() {
	for address, slots := range p.after {
		p.slots.Put(address, slots, 1)
	}
	classes := make(view, len(p.before))
	for address := range p.before {
		runtime := p.view[address]
		after, changed := p.after[address]
		if !changed {
			after = p.before[address]
		}
		runtime.Implement(p.before[address], after, p.class, p.view.Runtime)
		classes[address] = runtime
	}
	for address, runtime := range classes {
		p.view[address] = runtime
	}
}
