package index

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"golang.org/x/sync/errgroup"

	"astrolabe/cache"
	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/starknet"
)

// memory caches the contracts and classes that a leader needs to derive blocks,
// including uncommitted ones. It is discarded after every error. It is bounded,
// but large enough to hold every contract of the last two batches, which may be
// uncommitted. Classes are bounded by size, so a class of those batches can be
// evicted: it is then fetched from the node again, and found records that it is
// not new.
type memory struct {
	runtimes *cache.Weighted[starknet.Felt, starknet.Felt] // contract to class hash
	classes  *cache.Weighted[starknet.Felt, *facts.Class]  // class hash to class
	found    *cache.Weighted[starknet.Felt, struct{}]      // hashes of the classes that newClasses returned
	slots    *cache.Weighted[starknet.Felt, facts.Slots]   // contract to its proxy slots, if it has a row
}

const (
	rememberedContracts = 200_000
	rememberedClasses   = 128 << 20 // bytes
)

func newMemory() *memory {
	return &memory{
		runtimes: cache.NewWeighted[starknet.Felt, starknet.Felt](rememberedContracts),
		classes:  cache.NewWeighted[starknet.Felt, *facts.Class](rememberedClasses),
		found:    cache.NewWeighted[starknet.Felt, struct{}](rememberedContracts),
		slots:    cache.NewWeighted[starknet.Felt, facts.Slots](rememberedContracts),
	}
}

// classWeight estimates the maximum size of a class in bytes. Its schema is
// proportional to its ABI.
func classWeight(class *facts.Class) int { return 1<<17 + 8*len(class.ABI) }

// noContract marks an address without a known class.
var noContract starknet.Felt

// facts derives the facts of a block.
func (m *memory) facts(ctx context.Context, t *turns, got fetched) (facts.Block, error) {
	block, update := got.block, got.update
	// Entries that a block needs are not evicted until it is derived.
	m.runtimes.Trim()
	m.classes.Trim()
	m.found.Trim()
	m.slots.Trim()
	view := make(view)
	observed, err := m.recall(ctx, t, got, view)
	if err != nil {
		return facts.Block{}, err
	}
	if err := m.verifyContracts(ctx, t, got); err != nil {
		return facts.Block{}, err
	}
	fresh, err := m.newClasses(ctx, t, block, update, view)
	if err != nil {
		return facts.Block{}, err
	}
	proxies, err := m.implementations(ctx, t, block, update, view)
	if err != nil {
		return facts.Block{}, err
	}
	m.see(update, view)
	proxies.see()
	found := facts.Lookups{Classes: append(observed, proxies.found.Classes...), Implementations: proxies.found.Implementations, Pools: t.Pools}
	derived, err := facts.Derive(block, update, found, view)
	if err != nil {
		return facts.Block{}, err
	}
	derived.Classes = slices.SortedFunc(slices.Values(append(fresh, proxies.fresh...)), func(a, b *facts.Class) int { return a.Hash.Cmp(b.Hash) })
	derived.Header.Verification = got.verdict.Level
	return derived, nil
}

// view holds the classes before and after one block.
type view map[starknet.Felt]facts.Runtime

// Runtime implements facts.View.
func (v view) Runtime(address starknet.Felt) facts.Runtime { return v[address] }

// recall loads the class before the block of every contract whose class
// matters, and adds those contracts to the view. It returns as observed the
// classes that it had to read from the node, because the contracts are older
// than the index.
func (m *memory) recall(ctx context.Context, t *turns, got fetched, view view) (observed []facts.ClassChange, err error) {
	block, update := got.block, got.update
	var unknown []starknet.Felt
	want := func(address starknet.Felt) {
		if _, seen := view[address]; seen {
			return
		}
		view[address] = facts.Runtime{}
		if _, known := m.runtimes.Get(address); !known {
			unknown = append(unknown, address)
		}
	}
	for i := range block.Transactions {
		for j := range block.Transactions[i].Receipt.Events {
			e := &block.Transactions[i].Receipt.Events[j]
			if t.at.First > 0 || facts.MayTransfer(e) || slices.Contains(t.Pools, e.FromAddress) {
				want(e.FromAddress)
			}
		}
	}
	for i := range update.StateDiff.ReplacedClasses {
		want(update.StateDiff.ReplacedClasses[i].ContractAddress)
	}
	doubted := got.doubtedDeployments()
	for i := range update.StateDiff.DeployedContracts {
		address := update.StateDiff.DeployedContracts[i].Address
		if doubted[address] {
			want(address)
			continue
		}
		view[address] = facts.Runtime{}
		m.runtimes.Put(address, noContract, 1)
	}
	unknown = slices.DeleteFunc(unknown, func(address starknet.Felt) bool {
		_, known := m.runtimes.Get(address)
		return known
	})
	return m.recallContracts(ctx, t, block.ParentHash, unknown)
}

// recallContracts loads the classes of contracts that are not cached, and
// returns those that it had to read from the node.
func (m *memory) recallContracts(ctx context.Context, t *turns, parent starknet.Felt, unknown []starknet.Felt) ([]facts.ClassChange, error) {
	if len(unknown) == 0 {
		return nil, nil
	}
	histories, err := t.Classes.ClassHistories(ctx, t.Chain, unknown)
	if err != nil {
		return nil, err
	}
	var strangers []starknet.Felt
	for _, address := range unknown {
		if history := histories[address]; len(history) > 0 {
			m.runtimes.Put(address, history[len(history)-1].Class, 1)
		} else if t.at.First > 0 {
			strangers = append(strangers, address)
		} else {
			m.runtimes.Put(address, noContract, 1)
		}
	}
	return m.observe(ctx, t, parent, strangers)
}

// observe reads the classes of contracts that were deployed before the indexed
// history from the node.
func (m *memory) observe(ctx context.Context, t *turns, parent starknet.Felt, strangers []starknet.Felt) ([]facts.ClassChange, error) {
	classes := make([]starknet.Felt, len(strangers))
	group, asking := errgroup.WithContext(ctx)
	group.SetLimit(t.Sizes.Fetchers)
	for i, address := range strangers {
		group.Go(func() error {
			class, exists, err := t.Node.ClassHashAt(asking, parent, address)
			if exists {
				classes[i] = class
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	var observed []facts.ClassChange
	for i, address := range strangers {
		m.runtimes.Put(address, classes[i], 1)
		if classes[i] != noContract {
			observed = append(observed, facts.ClassChange{Address: address, Origin: facts.Observed, Class: classes[i]})
		}
	}
	return observed, nil
}

// see fills the view with the classes before and after the block, and caches
// the latter.
func (m *memory) see(update *starknet.StateUpdate, view view) {
	for address := range view {
		hash, _ := m.runtimes.Get(address)
		class := m.class(hash)
		view[address] = facts.Runtime{Before: class, After: class}
	}
	for i := range update.StateDiff.DeployedContracts {
		c := &update.StateDiff.DeployedContracts[i]
		view[c.Address] = facts.Runtime{After: m.class(c.ClassHash)}
		m.runtimes.Put(c.Address, c.ClassHash, 1)
	}
	for i := range update.StateDiff.ReplacedClasses {
		c := &update.StateDiff.ReplacedClasses[i]
		before := view[c.ContractAddress].Before
		if before == nil { // also deployed in this block
			before = view[c.ContractAddress].After
		}
		view[c.ContractAddress] = facts.Runtime{Before: before, After: m.class(c.ClassHash)}
		m.runtimes.Put(c.ContractAddress, c.ClassHash, 1)
	}
}

func (m *memory) class(hash starknet.Felt) *facts.Class {
	class, _ := m.classes.Get(hash)
	return class
}

// newClasses loads every class that matters to the block, and returns by hash
// those that the index does not have yet.
func (m *memory) newClasses(ctx context.Context, t *turns, block *starknet.BlockWithReceipts, update *starknet.StateUpdate, view view) ([]*facts.Class, error) {
	named := make(languages)
	diff := &update.StateDiff
	for _, hash := range diff.DeprecatedDeclaredClasses {
		named[hash] = cairo0
	}
	for i := range diff.DeclaredClasses {
		named[diff.DeclaredClasses[i].ClassHash] = sierra
	}
	for i := range diff.DeployedContracts {
		named.mention(diff.DeployedContracts[i].ClassHash)
	}
	for i := range diff.ReplacedClasses {
		named.mention(diff.ReplacedClasses[i].ClassHash)
	}
	for address := range view {
		if hash, _ := m.runtimes.Get(address); hash != noContract {
			named.mention(hash)
		}
	}
	return m.loadClasses(ctx, t, block, named)
}

// loadClasses loads the named classes from the index, or else from the node.
func (m *memory) loadClasses(ctx context.Context, t *turns, block *starknet.BlockWithReceipts, named languages) ([]*facts.Class, error) {
	maps.DeleteFunc(named, func(hash starknet.Felt, _ language) bool {
		_, known := m.classes.Get(hash)
		return known
	})
	if len(named) == 0 {
		return nil, nil
	}
	hashes := slices.SortedFunc(maps.Keys(named), starknet.Felt.Cmp)
	stored, err := t.Classes.Classes(ctx, t.Chain, hashes)
	if err != nil {
		return nil, err
	}
	var fresh []*facts.Class
	for _, hash := range hashes {
		class := stored[hash]
		if class == nil {
			if class, err = t.fetchClass(ctx, block, hash, named[hash]); err != nil {
				return nil, err
			}
			fresh = append(fresh, m.admit(class)...)
			continue
		}
		m.classes.Put(hash, class, classWeight(class))
	}
	return fresh, nil
}

// admit caches a class that is not stored, and returns it if it is new.
func (m *memory) admit(class *facts.Class) []*facts.Class {
	m.classes.Put(class.Hash, class, classWeight(class))
	if _, given := m.found.Get(class.Hash); given {
		return nil
	}
	m.found.Put(class.Hash, struct{}{}, 1)
	return []*facts.Class{class}
}

// fetchClass reads a class that a block names from the node.
func (t *turns) fetchClass(ctx context.Context, block *starknet.BlockWithReceipts, hash starknet.Felt, declared language) (*facts.Class, error) {
	class, err := t.readClass(ctx, block, hash, declared)
	if errors.Is(err, chain.ErrNoClass) && t.AcceptMissingClasses {
		return t.missing(block, hash, err), nil
	}
	return class, err
}

// readClass reads a class from the node, which must be of the declared language.
// A Cairo 0 class that no upstream proves is missing, so that nothing is typed or
// decoded by it, unless the operator chose not to verify as much.
func (t *turns) readClass(ctx context.Context, block *starknet.BlockWithReceipts, hash starknet.Felt, declared language) (*facts.Class, error) {
	if class := t.kept.class(hash); class != nil && (declared == unsaid || class.Sierra == (declared == sierra)) {
		return class, nil
	}
	class, err := t.Node.Class(ctx, block.BlockHash, hash)
	unproven := errors.Is(err, chain.ErrUnprovenClass)
	switch {
	case (err == nil || unproven) && declared != unsaid && (declared == sierra) != (class.Sierra != nil):
		return nil, fmt.Errorf("%w: the class %s is of another language than its declaration says", indexing.ErrInconsistent, hash)
	case unproven && t.level() == facts.FullyVerified:
		return t.missing(block, hash, err), nil
	case err != nil && !unproven:
		return nil, err
	}
	made := facts.NewClass(hash, class)
	if !unproven {
		t.kept.keepClass(made)
	}
	return made, nil
}

// missing returns a class that the index has to do without, and lets the prover
// ask for it soon.
func (t *turns) missing(block *starknet.BlockWithReceipts, hash starknet.Felt, reason error) *facts.Class {
	t.Logger.Warn("continuing without a class definition; it will be requested again later",
		"chain", t.Chain, "block", block.BlockNumber, "class", hash, "reason", reason)
	t.proving.reset()
	return facts.MissingClass(hash)
}

// language is the kind of a class, according to its declaration.
type language int

const (
	unsaid language = iota
	cairo0
	sierra
)

// languages are the classes that a block names.
type languages map[starknet.Felt]language

// mention adds a class of unknown language.
func (l languages) mention(hash starknet.Felt) {
	if _, named := l[hash]; !named {
		l[hash] = unsaid
	}
}
