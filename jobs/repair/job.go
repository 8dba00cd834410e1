package repair

import (
	"context"
	"fmt"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/jobs/index"
	"astrolabe/starknet"
)

// Node provides the truth.
type Node = index.Node

// Store replaces rows, as the holder of a lease.
type Store interface {
	// Surroundings returns where a block is stored and what its neighbours say
	// about it. It is false for a block that belongs to no partition.
	Surroundings(ctx context.Context, c domain.Chain, number uint64) (indexing.Surroundings, bool, error)
	// KnownClasses returns the stored classes of the hashes, and whether blocks
	// before the given one refer to them.
	KnownClasses(ctx context.Context, c domain.Chain, hashes []starknet.Felt, before uint64) (map[starknet.Felt]indexing.KnownClass, error)
	// RepairBlock replaces all rows of a block, and returns the tokens that it
	// was wrongly said to show first.
	RepairBlock(ctx context.Context, lease indexing.Lease, into indexing.Range, block facts.Block, changed bool) ([]starknet.Felt, error)
	// RemoveBlock deletes the rows of a block that the index does not have.
	RemoveBlock(ctx context.Context, lease indexing.Lease, number uint64) error
	// RepairClass replaces the class that is stored under a hash.
	RepairClass(ctx context.Context, lease indexing.Lease, stored starknet.Felt, class *facts.Class) error
	// InsertClass stores a class that rows refer to by an id.
	InsertClass(ctx context.Context, lease indexing.Lease, id int64, class *facts.Class) error
	// BlocksOf returns the blocks from one on that involve one of the contracts,
	// in order.
	BlocksOf(ctx context.Context, c domain.Chain, contracts []starknet.Felt, from uint64) ([]uint64, error)
	// Rewrite replaces the derived rows of a run.
	Rewrite(ctx context.Context, lease indexing.Lease, run indexing.Run) error
	// ResetCheckpoint moves the checkpoint and the tiers to where the stored
	// blocks are, and a watermark of L1 acceptance that is too high back to the
	// block that the node says is accepted; nil if that is not known.
	ResetCheckpoint(ctx context.Context, lease indexing.Lease, accepted *domain.BlockRef) (domain.BlockRef, error)
	// RecordVerified moves the ends of the verified blocks to where they are.
	RecordVerified(ctx context.Context, lease indexing.Lease) error
	// RecordVersions records that the rows of these facts have the current
	// versions.
	RecordVersions(ctx context.Context, lease indexing.Lease, names ...string) error
	// Discard discards the results of a kind of job.
	Discard(ctx context.Context, lease indexing.Lease, kind indexing.Results) error
}

// Job repairs the index of one chain.
type Job struct {
	Chain       domain.Chain
	Leases      indexing.Leases
	Checkpoints indexing.Checkpoints
	Archive     indexing.Archive
	Store       Store
	Entries     Entries
	Node        Node   // nil for repairs that need none
	Holder      string // identifies this process as lease holder
	// Gone reports whether the holder of a lease has provably ended, so that its
	// lease is taken over at once; nil waits until it ends.
	Gone func(holder string) bool
	// Verify is how far blocks of the node are verified before they are stored;
	// empty means facts.Unverified.
	Verify facts.Verification
	// Report receives a line for each thing that was done.
	Report func(line string)

	last       uint64                  // the last block to be repaired
	confirmed  map[uint64]confirmation // blocks with other hashes than the stored ones
	correction *facts.Class            // replaces the stored class of the same hash
	asked      starknet.Felt           // the last missing class that Prove asked for
}

// Blocks repairs the blocks from one to another, both included. Rows of blocks
// that the index does not have are removed, and the verified blocks end where
// they do after the repair. It returns indexing.ErrLed while an
// indexer leads, and ErrOtherChain if the node's block is not the indexed one.
func (j *Job) Blocks(ctx context.Context, from, to uint64) error {
	return j.hold(ctx, func(ctx context.Context, lease indexing.Lease) error {
		j.last = to
		for number := from; number <= to; number++ {
			if err := j.block(ctx, lease, number); err != nil {
				return err
			}
		}
		return j.Store.RecordVerified(ctx, lease)
	})
}

// Class repairs the class that is stored under a hash.
func (j *Job) Class(ctx context.Context, hash starknet.Felt) error {
	return j.hold(ctx, func(ctx context.Context, lease indexing.Lease) error { return j.class(ctx, lease, hash) })
}

// Entry repairs an entry of a dictionary: addresses, selectors or classes.
func (j *Job) Entry(ctx context.Context, dictionary string, id int64) error {
	return j.hold(ctx, func(ctx context.Context, lease indexing.Lease) error {
		if err := j.entry(ctx, lease, dictionary, id); err != nil {
			return err
		}
		return j.Store.RecordVerified(ctx, lease) // it may have repaired blocks
	})
}

// Checkpoint moves the checkpoint and the tiers to where the stored blocks are.
// With a node, it also moves a watermark of L1 acceptance back that is too high.
func (j *Job) Checkpoint(ctx context.Context) error {
	return j.hold(ctx, func(ctx context.Context, lease indexing.Lease) error {
		var accepted *domain.BlockRef
		if j.Node != nil {
			l1, known, err := j.Node.L1Head(ctx)
			switch {
			case err != nil:
				j.report("the L1 watermark was not compared with the node: %s", err)
			case known:
				accepted = &l1
			}
		}
		at, err := j.Store.ResetCheckpoint(ctx, lease, accepted)
		if err == nil {
			j.report("the index ends with block %s", at)
		}
		return err
	})
}

// Discard discards the results of a kind of job, which the workers compute
// again.
func (j *Job) Discard(ctx context.Context, kind indexing.Results) error {
	return j.hold(ctx, func(ctx context.Context, lease indexing.Lease) error {
		err := j.Store.Discard(ctx, lease, kind)
		if err == nil {
			j.report("%s discarded; the workers compute them again", kind)
		}
		return err
	})
}

func (j *Job) hold(ctx context.Context, act func(context.Context, indexing.Lease) error) error {
	return indexing.Hold(ctx, j.Leases, j.Chain, j.Holder, j.Gone, act)
}

func (j *Job) report(format string, args ...any) { j.Report(fmt.Sprintf(format, args...)) }
