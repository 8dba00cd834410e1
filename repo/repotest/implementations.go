package repotest

import (
	"slices"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/domain/privacy"
	"astrolabe/starknet"
)

// implement resolves the writes to proxy slots of a block, and observes the
// slots of proxies that emit an event or change their class, and of which the
// index has none yet.
func (d *deriver) implement(block *starknet.BlockWithReceipts, diff *starknet.StateDiff) ([]facts.Implementation, error) {
	var list []facts.Implementation
	if block.BlockNumber >= d.first {
		list = d.observeSlots(block, diff)
	}
	written, err := facts.ResolveWrites(facts.SlotWrites(diff), d)
	if err != nil {
		return nil, err
	}
	for i := range written {
		w := &written[i]
		d.slots[w.Address] = block.BlockNumber >= d.first
		d.view.Implementations[w.Address] = append(d.view.Implementations[w.Address], facts.ImplementationSince{
			Block: block.BlockNumber, Origin: w.Origin, Family: w.Family, Executed: w.Executed,
		})
	}
	return append(list, written...), nil
}

func (d *deriver) observeSlots(block *starknet.BlockWithReceipts, diff *starknet.StateDiff) (list []facts.Implementation) {
	meet := func(address starknet.Felt) {
		runtime := d.view.Runtime(address)
		families := facts.SlotFamilies(runtime.Before, runtime.After)
		deployed := slices.ContainsFunc(diff.DeployedContracts, func(c starknet.DeployedContract) bool { return c.Address == address })
		if families == nil || deployed || d.slots[address] {
			return
		}
		d.slots[address] = true
		before, _ := d.view.Implementations[address].Around(block.BlockNumber)
		found := false
		for i := range families {
			if executed, set := before[families[i].Family]; set {
				found = true
				list = append(list, facts.Implementation{Address: address, Origin: facts.Observed, Family: families[i].Family, Executed: executed})
			}
		}
		if !found {
			list = append(list, facts.Implementation{Address: address, Origin: facts.Observed, Family: families[0].Family})
		}
	}
	for i := range block.Transactions {
		for j := range block.Transactions[i].Receipt.Events {
			if e := &block.Transactions[i].Receipt.Events[j]; d.first > 0 || facts.MayTransfer(e) || slices.Contains(privacy.KnownPools(domain.Mainnet), e.FromAddress) {
				meet(e.FromAddress)
			}
		}
	}
	for i := range diff.ReplacedClasses {
		meet(diff.ReplacedClasses[i].ContractAddress)
	}
	return list
}

// HasClass implements facts.Ledger.
func (d *deriver) HasClass(hash starknet.Felt) (bool, error) { return d.view.Classes[hash] != nil, nil }

// HasContract implements facts.Ledger.
func (d *deriver) HasContract(address starknet.Felt) (bool, error) {
	return len(d.view.Histories[address]) > 0, nil
}
