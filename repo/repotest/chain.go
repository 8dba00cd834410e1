package repotest

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"testing"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/domain/privacy"
	"astrolabe/sim"
	"astrolabe/sim/classes"
	"astrolabe/sim/simtest"
	"astrolabe/starknet"
)

// Everyday returns the facts of the first blocks of a simulated mainnet, as an
// indexer that starts at block 0 would commit them. Callers share them and must
// not change them.
func Everyday(t testing.TB) []facts.Block {
	t.Helper()
	blocks, err := everyday()
	if err != nil {
		t.Fatal(err)
	}
	return blocks
}

var everyday = sync.OnceValues(func() ([]facts.Block, error) {
	node, err := simtest.Open(sim.Config{Blocks: 60})
	if err != nil {
		return nil, err
	}
	defer func() { _ = node.Close() }()
	return Facts(node)
})

// PartialFirst is the first block of Partial.
const PartialFirst = 20

// Partial returns the facts of the same chain from a later block on, as an
// indexer that starts there would commit them: with the classes of older
// contracts, which it requested from the node, as observed.
func Partial(t testing.TB) []facts.Block {
	t.Helper()
	blocks, err := partial()
	if err != nil {
		t.Fatal(err)
	}
	return blocks
}

var partial = sync.OnceValues(func() ([]facts.Block, error) {
	node, err := simtest.Open(sim.Config{Blocks: 60})
	if err != nil {
		return nil, err
	}
	defer func() { _ = node.Close() }()
	return factsFrom(node, PartialFirst)
})

// Facts derives every block of a simulated node that serves its own classes.
func Facts(node *sim.Node) ([]facts.Block, error) { return factsFrom(node, 0) }

// factsFrom is Facts for an index that starts at a later block.
func factsFrom(node *sim.Node, first uint64) ([]facts.Block, error) {
	d, err := newDeriver()
	if err != nil {
		return nil, err
	}
	d.first = first
	var list []facts.Block
	for number := range node.Head().Header.BlockNumber + 1 {
		block, err := node.Block(number)
		if err != nil {
			return nil, err
		}
		derived, err := d.derive(block)
		if err != nil {
			return nil, err
		}
		if number >= first {
			list = append(list, derived)
		}
	}
	return list, nil
}

// deriver is an indexer that keeps everything in memory.
type deriver struct {
	view  facts.HistoryView
	named map[starknet.Felt]bool
	first uint64                 // block of the index
	known map[starknet.Felt]bool // contracts whose class the index has
	slots map[starknet.Felt]bool // contracts of which the index has a proxy slot
}

func newDeriver() (*deriver, error) {
	all, err := classes.Load()
	if err != nil {
		return nil, err
	}
	d := &deriver{
		view: facts.HistoryView{
			Histories: map[starknet.Felt]facts.ClassHistory{}, Classes: map[starknet.Felt]*facts.Class{},
			Implementations: map[starknet.Felt]facts.ImplementationHistory{},
		},
		named: map[starknet.Felt]bool{}, known: map[starknet.Felt]bool{}, slots: map[starknet.Felt]bool{},
	}
	for _, class := range all {
		var document starknet.Class
		if err := json.Unmarshal(class.Document, &document); err != nil {
			return nil, err
		}
		d.view.Classes[class.Hash] = facts.NewClass(class.Hash, document)
	}
	return d, nil
}

func (d *deriver) derive(b *sim.Block) (facts.Block, error) {
	block := &starknet.BlockWithReceipts{BlockHeader: b.Header}
	for i := range b.Transactions {
		block.Transactions = append(block.Transactions, starknet.TransactionWithReceipt{Transaction: b.Transactions[i], Receipt: b.Receipts[i]})
	}
	number, diff := b.Header.BlockNumber, &b.StateUpdate.StateDiff
	var named []starknet.Felt
	observed := d.observe(block, diff)
	since := func(address starknet.Felt, origin facts.Origin, class starknet.Felt) {
		d.view.Histories[address] = append(d.view.Histories[address], facts.ClassSince{Block: number, Origin: origin, Class: class})
		d.known[address] = number >= d.first
		named = append(named, class)
	}
	for _, c := range diff.DeployedContracts {
		since(c.Address, facts.Deployed, c.ClassHash)
	}
	for _, c := range diff.ReplacedClasses {
		since(c.ContractAddress, facts.Replaced, c.ClassHash)
	}
	for _, c := range diff.DeclaredClasses {
		named = append(named, c.ClassHash)
	}
	named = append(named, diff.DeprecatedDeclaredClasses...)
	d.view.Block = number
	implementations, err := d.implement(block, diff)
	if err != nil {
		return facts.Block{}, err
	}
	for i := range implementations {
		if class := implementations[i].Class; class != nil {
			named = append(named, *class)
		}
		if contract := implementations[i].Contract; contract != nil {
			observed = d.meet(observed, *contract, number)
		}
	}
	for _, change := range observed {
		named = append(named, change.Class)
	}
	derived, err := facts.Derive(block, &b.StateUpdate, facts.Lookups{Classes: observed, Implementations: implementations, Pools: privacy.KnownPools(domain.Mainnet)}, d.view)
	if err != nil {
		return facts.Block{}, err
	}
	if number < d.first {
		return derived, nil
	}
	slices.SortFunc(named, starknet.Felt.Cmp)
	for _, hash := range slices.Compact(named) {
		if d.named[hash] {
			continue
		}
		d.named[hash] = true
		if d.view.Classes[hash] == nil {
			return facts.Block{}, fmt.Errorf("block %d has the unknown class %s", number, hash)
		}
		derived.Classes = append(derived.Classes, d.view.Classes[hash])
	}
	return derived, nil
}

// observe returns the classes of older contracts that are new to the index and
// that emit an event or change their class in a block.
func (d *deriver) observe(block *starknet.BlockWithReceipts, diff *starknet.StateDiff) (observed []facts.ClassChange) {
	if block.BlockNumber < d.first || d.first == 0 {
		return nil
	}
	meet := func(address starknet.Felt) { observed = d.meet(observed, address, block.BlockNumber) }
	for i := range block.Transactions {
		for j := range block.Transactions[i].Receipt.Events {
			meet(block.Transactions[i].Receipt.Events[j].FromAddress)
		}
	}
	for i := range diff.ReplacedClasses {
		meet(diff.ReplacedClasses[i].ContractAddress)
	}
	return observed
}

// meet adds the class of an older contract that is new to the index.
func (d *deriver) meet(observed []facts.ClassChange, address starknet.Felt, block uint64) []facts.ClassChange {
	history := d.view.Histories[address]
	if block < d.first || d.first == 0 || len(history) == 0 || d.known[address] {
		return observed
	}
	d.known[address] = true
	return append(observed, facts.ClassChange{Address: address, Origin: facts.Observed, Class: history[len(history)-1].Class})
}
