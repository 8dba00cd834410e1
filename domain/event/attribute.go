package event

import (
	"context"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/starknet"
)

// Emission identifies the class and name of an event: the emitting contract,
// the block and the first key.
type Emission struct {
	Address  starknet.Felt
	Block    uint64
	Selector starknet.Felt
}

// Emitter is the known classes and names of an emission.
type Emitter struct {
	// Classes are the contract's classes at the end of the block: its newest
	// one from before the block, and those of the block itself.
	Classes facts.ClassHistory
	// UniqueName is the name that all indexed classes have for the selector;
	// empty when they have several or none.
	UniqueName string
}

// Attribution decodes the events of one block. It is read together with the
// events.
type Attribution struct {
	// Classes are the newest classes of the emitting contracts up to the block.
	Classes map[starknet.Felt]facts.ClassHistory
	// Names are those that all indexed classes have for a first key.
	Names map[starknet.Felt]string
	// Damage is why some of this could not be read; nil when all of it was.
	Damage error
}

// emitters implements lookup.
func (a Attribution) emitters(_ context.Context, _ domain.Chain, emissions []Emission) ([]Emitter, error) {
	if a.Damage != nil {
		return nil, a.Damage
	}
	list := make([]Emitter, len(emissions))
	for i, e := range emissions {
		list[i] = Emitter{Classes: a.Classes[e.Address], UniqueName: a.Names[e.Selector]}
	}
	return list, nil
}

// lookup returns the emitters of events, as Store.Emitters does.
type lookup func(ctx context.Context, c domain.Chain, emissions []Emission) ([]Emitter, error)

// lookupTime limits the attribution lookup if the request has no time limit.
const lookupTime = 30 * time.Second

// withinHalf limits the attribution lookup to half of the remaining time, so
// that a slow lookup costs the attribution and not the response.
func withinHalf(ctx context.Context) (context.Context, context.CancelFunc) {
	half := lookupTime
	if deadline, ok := ctx.Deadline(); ok {
		half = time.Until(deadline) / 2
	}
	return context.WithTimeout(ctx, half)
}

// attribute decodes rows in place. The lookup is optional: when it fails, all
// rows come without attribution, and it reports true. It is an error only when
// the request itself has ended.
func (s *Events) attribute(ctx context.Context, c domain.Chain, emitters lookup, lists ...[]Row) (degraded bool, err error) {
	meanings, failed := s.meanings(ctx, c, emitters, lists)
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	for _, rows := range lists {
		for i := range rows {
			r := &rows[i]
			r.Decoding = unknown
			if failed == nil {
				r.Decoding = meanings[keyOf(r)].decode(r.Keys, r.Data)
			}
		}
	}
	return failed != nil, nil
}

// emissionKey is an emission that can be compared. An event without keys has
// no meaning to look up, so that it may share the key of selector zero.
type emissionKey struct {
	address, selector starknet.Felt
	block             uint64
}

func keyOf(r *Row) emissionKey {
	key := emissionKey{address: r.Address, block: r.Block}
	if len(r.Keys) > 0 {
		key.selector = r.Keys[0]
	}
	return key
}

// meaning is the classes and names by which an emission is decoded.
type meaning struct {
	classes  facts.Runtime
	verified map[starknet.Felt]bool // classes with a verification record
	name     string                 // the only one that indexed classes have for the selector; empty if there are several or none
}

// meanings looks up each distinct emission once.
func (s *Events) meanings(ctx context.Context, c domain.Chain, emittersOf lookup, lists [][]Row) (map[emissionKey]meaning, error) {
	var (
		found     = map[emissionKey]meaning{}
		keys      []emissionKey
		emissions []Emission
	)
	for _, rows := range lists {
		for i := range rows {
			key := keyOf(&rows[i])
			if _, ok := found[key]; ok || len(rows[i].Keys) == 0 {
				continue
			}
			found[key] = meaning{}
			keys = append(keys, key)
			emissions = append(emissions, Emission{Address: key.address, Block: key.block, Selector: key.selector})
		}
	}
	if len(emissions) == 0 {
		return found, nil
	}
	ctx, cancel := withinHalf(ctx)
	defer cancel()
	emitters, err := emittersOf(ctx, c, emissions)
	if err != nil {
		return nil, err
	}
	view := facts.HistoryView{Histories: map[starknet.Felt]facts.ClassHistory{}}
	var hashes []starknet.Felt
	for i := range emitters {
		for _, since := range emitters[i].Classes {
			hashes = append(hashes, since.Class)
		}
	}
	if view.Classes, err = s.classes.Of(ctx, c, hashes); err != nil {
		return nil, err
	}
	contracts, runtimes := make([]chain.ContractAt, len(keys)), make([]facts.Runtime, len(keys))
	for i, key := range keys {
		view.Block, view.Histories[key.address] = key.block, emitters[i].Classes
		contracts[i], runtimes[i] = chain.ContractAt{Address: key.address, Block: key.block}, view.Runtime(key.address)
	}
	if err := s.implementations.Fill(ctx, c, contracts, runtimes); err != nil {
		return nil, err
	}
	verified, err := s.verified.Verified(ctx, c, classesOf(runtimes))
	if err != nil {
		return nil, err
	}
	for i, key := range keys {
		found[key] = meaning{runtimes[i], verified, emitters[i].UniqueName}
	}
	return found, nil
}

// classesOf lists the classes that may name events, each once.
func classesOf(runtimes []facts.Runtime) (hashes []starknet.Felt) {
	seen := map[starknet.Felt]bool{}
	for i := range runtimes {
		r := &runtimes[i]
		for _, class := range []*facts.Class{r.Before, r.After, r.ImplementationBefore, r.ImplementationAfter} {
			if class != nil && class.Schema() != nil && !seen[class.Hash] {
				seen[class.Hash] = true
				hashes = append(hashes, class.Hash)
			}
		}
	}
	return hashes
}
