package repair

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/starknet"
)

// askedAtOnce is how many missing classes Prove asks for.
const askedAtOnce = 32

// Prove implements index.Prover: it asks the node for some of the missing classes,
// and continues with the others in the next call.
func (j *Job) Prove(ctx context.Context, lease indexing.Lease) (proven int, err error) {
	at, err := j.Checkpoints.Checkpoint(ctx, j.Chain)
	if err != nil || at == nil || at.Block == nil {
		return 0, err
	}
	hashes, err := j.Archive.MissingClasses(ctx, j.Chain, j.asked, askedAtOnce)
	if err != nil {
		return 0, err
	}
	missing, err := j.Store.KnownClasses(ctx, j.Chain, hashes, 0)
	if err != nil {
		return 0, err
	}
	for _, hash := range hashes {
		j.asked = hash
		class, err := j.Node.Class(ctx, at.Block.Hash, hash)
		if errors.Is(err, chain.ErrNoClass) || errors.Is(err, chain.ErrUnprovenClass) {
			continue
		}
		if err != nil {
			return proven, fmt.Errorf("read class %s from the node: %w", hash, err)
		}
		if err := j.correct(ctx, lease, missing[hash], facts.NewClass(hash, class)); err != nil {
			return proven, err
		}
		j.report("class %s, which was missing, is proven", hash)
		proven++
	}
	if len(hashes) < askedAtOnce {
		j.asked = starknet.Felt{}
	}
	return proven, nil
}

// correct replaces a stored class by its true definition. If that is not the one
// that was committed, everything that follows from it is corrected first, so that
// a crash in between leaves the class to be corrected again.
func (j *Job) correct(ctx context.Context, lease indexing.Lease, stored indexing.KnownClass, class *facts.Class) error {
	matters, err := j.matters(ctx, stored, class)
	if err != nil {
		return err
	}
	if matters {
		corrected := *j
		corrected.correction = class
		if err := corrected.users(ctx, lease, stored); err != nil {
			return fmt.Errorf("correct what follows from class %s: %w", class.Hash, err)
		}
	}
	return j.Store.RepairClass(ctx, lease, stored.Hash, class)
}

// matters reports whether derived rows can be others with a class than with the
// stored one: both are not the same, and one of them types transfers, or it is
// the class of a privacy pool.
func (j *Job) matters(ctx context.Context, stored indexing.KnownClass, class *facts.Class) (bool, error) {
	if stored.Confirms(class) || stored.TypesTransfers() || class.TypesTransfers() {
		return !stored.Confirms(class), nil
	}
	pools, err := j.Archive.PrivacyPools(ctx, j.Chain)
	if err != nil || len(pools) == 0 {
		return false, err
	}
	contracts, _, err := j.Archive.UsersOf(ctx, j.Chain, class.Hash)
	return slices.ContainsFunc(contracts, func(contract starknet.Felt) bool { return slices.Contains(pools, contract) }), err
}

// users corrects the blocks that involve contracts of the corrected class, or
// proxies that execute it. Blocks in which a proxy's slots have to be observed
// are read from the node again; the others are derived from stored rows.
func (j *Job) users(ctx context.Context, lease indexing.Lease, stored indexing.KnownClass) error {
	contracts, proxies, err := j.Archive.UsersOf(ctx, j.Chain, stored.Hash)
	if err != nil {
		return err
	}
	blocks, err := j.Store.BlocksOf(ctx, j.Chain, slices.Concat(contracts, proxies), stored.Block)
	if err != nil {
		return err
	}
	observing, err := j.observing(ctx, contracts, stored.Block)
	if err != nil {
		return err
	}
	replay := j.replay()
	for _, number := range blocks {
		if observing.needs(number) {
			if err = j.block(ctx, lease, number); err == nil {
				err = observing.read(ctx)
			}
		} else {
			_, err = j.rederive(ctx, lease, replay, number)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// observing are the proxies whose slots the index does not have from their first
// block on, because it did not know that they are proxies.
type observing struct {
	*Job
	blocks []uint64                 // that involve one of them, in order
	since  map[starknet.Felt]uint64 // the first block with a slot; none is the largest number
}

// observing returns the contracts of the corrected class if it is a proxy's.
func (j *Job) observing(ctx context.Context, contracts []starknet.Felt, from uint64) (o *observing, err error) {
	o = &observing{Job: j, since: map[starknet.Felt]uint64{}}
	if j.correction.Families() == nil {
		return o, nil
	}
	for _, contract := range contracts {
		o.since[contract] = math.MaxUint64
	}
	if err := o.read(ctx); err != nil {
		return nil, err
	}
	late := make([]starknet.Felt, 0, len(o.since))
	for contract, since := range o.since {
		if since > from {
			late = append(late, contract)
		}
	}
	o.blocks, err = j.Store.BlocksOf(ctx, j.Chain, late, from)
	return o, err
}

// read reads when the slots begin that are not known from the first block on.
func (o *observing) read(ctx context.Context) error {
	contracts := make([]starknet.Felt, 0, len(o.since))
	for contract := range o.since {
		contracts = append(contracts, contract)
	}
	histories, err := o.Archive.ImplementationHistories(ctx, o.Chain, contracts)
	for contract, history := range histories {
		if len(history) > 0 {
			o.since[contract] = history[0].Block
		}
	}
	return err
}

// needs reports whether slots may have to be observed in a block.
func (o *observing) needs(number uint64) bool {
	if _, involved := slices.BinarySearch(o.blocks, number); !involved {
		return false
	}
	for contract, since := range o.since {
		if since > number {
			return true
		}
		delete(o.since, contract)
	}
	return false
}

// replay returns a replay that knows the corrected class.
func (j *Job) replay() *indexing.Replay { return indexing.NewReplay(j.Chain, correctedHistories{j}) }

// correctedHistories are the stored histories with the corrected class.
type correctedHistories struct{ *Job }

// Classes implements indexing.Histories.
func (h correctedHistories) Classes(ctx context.Context, c domain.Chain, hashes []starknet.Felt) (map[starknet.Felt]*facts.Class, error) {
	classes, err := h.Archive.Classes(ctx, c, hashes)
	for hash, class := range classes {
		classes[hash] = h.corrected(class)
	}
	return classes, err
}

// ClassHistories implements indexing.Histories.
func (h correctedHistories) ClassHistories(ctx context.Context, c domain.Chain, contracts []starknet.Felt) (map[starknet.Felt]facts.ClassHistory, error) {
	return h.Archive.ClassHistories(ctx, c, contracts)
}

// ImplementationHistories implements indexing.Histories.
func (h correctedHistories) ImplementationHistories(ctx context.Context, c domain.Chain, contracts []starknet.Felt) (map[starknet.Felt]facts.ImplementationHistory, error) {
	return h.Archive.ImplementationHistories(ctx, c, contracts)
}

// PrivacyPools implements indexing.Histories.
func (h correctedHistories) PrivacyPools(ctx context.Context, c domain.Chain) ([]starknet.Felt, error) {
	return h.Archive.PrivacyPools(ctx, c)
}

// corrected returns the corrected class in the place of the stored one.
func (j *Job) corrected(class *facts.Class) *facts.Class {
	if j.correction != nil && j.correction.Hash == class.Hash {
		return j.correction
	}
	return class
}
