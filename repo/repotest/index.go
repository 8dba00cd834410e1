package repotest

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/domain/privacy"
	"astrolabe/repo"
	"astrolabe/repo/index"
	"astrolabe/starknet"
)

// Index writes facts of SN_MAIN to a database, as the indexer would. After a
// failure it does nothing more; Err returns the error.
type Index struct {
	ctx    context.Context
	leases index.Leases
	writer *index.Writer
	lease  indexing.Lease
	batch  int
	at     *domain.BlockRef
	hashes map[uint64]starknet.Felt // of committed blocks
	err    error

	// Finalized is the newest block of the finalized tier, which commits record.
	Finalized *uint64
}

// NewIndex starts an index that commits batch blocks at a time, and takes its
// lease.
func NewIndex(ctx context.Context, db *repo.DB, first uint64, batch int) *Index {
	i := &Index{ctx: ctx, leases: index.NewLeases(db), writer: index.NewWriter(db), batch: batch, hashes: map[uint64]starknet.Felt{}}
	var leads bool
	i.lease, leads, i.err = i.leases.TakeLease(ctx, domain.Mainnet, "test", time.Hour)
	if i.err == nil && !leads {
		i.err = errors.New("another process holds the lease")
	}
	i.do(func() error { return i.writer.Begin(ctx, i.lease, first, false, privacy.KnownPools(domain.Mainnet)) })
	return i
}

// Err returns the first error.
func (i *Index) Err() error { return i.err }

func (i *Index) do(act func() error) {
	if i.err == nil {
		i.err = act()
	}
}

// Open opens a partition; a loading one has no end yet.
func (i *Index) Open(from, to uint64, state indexing.RangeState) indexing.Range {
	r := indexing.Range{From: from, To: to, State: state}
	i.do(func() error { return i.writer.OpenRange(i.ctx, i.lease, r) })
	return r
}

// Commit stores blocks in a partition.
func (i *Index) Commit(r indexing.Range, blocks []facts.Block) {
	for len(blocks) > 0 {
		n := min(i.batch, len(blocks))
		i.do(func() error {
			return i.writer.Commit(i.ctx, i.lease, indexing.Batch{After: i.at, Range: r, Blocks: blocks[:n], Finalized: i.Finalized})
		})
		last := &blocks[n-1].Header
		i.at = &domain.BlockRef{Number: last.Number, Hash: last.Hash}
		for _, block := range blocks[:n] {
			i.hashes[block.Header.Number] = block.Header.Hash
		}
		blocks = blocks[n:]
	}
}

// Load stores blocks in a partition that is loaded and then built.
func (i *Index) Load(blocks []facts.Block) {
	r := i.Open(blocks[0].Header.Number, 0, indexing.RangeLoading)
	i.Commit(r, blocks)
	r.To = blocks[len(blocks)-1].Header.Number + 1
	i.do(func() error { return i.writer.SealRange(i.ctx, i.lease, r) })
	i.do(func() error { return i.writer.BuildRange(i.ctx, i.lease, r) })
}

// Undo removes the blocks above one.
func (i *Index) Undo(to *facts.Header) {
	i.at = &domain.BlockRef{Number: to.Number, Hash: to.Hash}
	i.do(func() error { return i.writer.Undo(i.ctx, i.lease, i.at) })
}

// Next returns the number of the next block to commit.
func (i *Index) Next() uint64 {
	if i.at == nil {
		return 0
	}
	return i.at.Number + 1
}

// Rollback removes the blocks above one as an operator does, also below the
// finalized tier.
func (i *Index) Rollback(to *facts.Header) {
	i.at = &domain.BlockRef{Number: to.Number, Hash: to.Hash}
	i.do(func() error { return i.writer.Rollback(i.ctx, i.lease, i.at) })
}

// Continue resumes an index whose checkpoint is the given block.
func (i *Index) Continue(at *facts.Header) {
	i.at = &domain.BlockRef{Number: at.Number, Hash: at.Hash}
}

// RecordHead records that the newest block is the node's head, which block L1 has
// accepted, and the finality depth that leads to the finalized tier.
func (i *Index) RecordHead(l1 uint64) {
	depth := uint64(chain.FinalityDepth)
	if i.Finalized != nil {
		depth = i.at.Number - *i.Finalized
	}
	head := chain.Head{State: chain.Following, Depth: depth, L1: &l1, Block: i.at}
	if hash, known := i.hashes[l1]; known {
		head.L1Hash = &hash
	}
	i.do(func() error { return i.writer.RecordHead(i.ctx, i.lease, head) })
}

// Release releases the lease, so that operators' commands can take it.
func (i *Index) Release() {
	i.do(func() error { return i.leases.ReleaseLease(i.ctx, i.lease) })
}

// awake makes the recorded head never stale, so that results do not depend on
// how long a test takes.
func awake(ctx context.Context, url string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, "UPDATE chain_heads SET observed_at = now() + interval '1 day', recorded_at = now() + interval '1 day'")
	return errors.Join(err, conn.Close(ctx))
}

// Indexed is the template of a database with the blocks of Everyday: those
// below 25 were loaded and built, those below 45 are ready, the others are
// still loading. Its lease is free.
func Indexed(ctx context.Context, url string) error {
	if err := Migrated(ctx, url); err != nil {
		return err
	}
	blocks, err := everyday()
	if err != nil {
		return err
	}
	db, err := repo.Open(ctx, repo.Options{URL: url})
	if err != nil {
		return err
	}
	defer db.Close()
	index := NewIndex(ctx, db, 0, 10)
	index.Load(blocks[:25])
	index.Commit(index.Open(25, 45, indexing.RangeReady), blocks[25:45])
	index.Commit(index.Open(45, 0, indexing.RangeLoading), blocks[45:])
	index.Release()
	return index.Err()
}

// The tiers of the blocks of Followed.
const (
	FollowedFinalized = 45 // the newest block of the finalized tier
	FollowedL1        = 30 // the newest block that L1 has accepted
)

// Followed is the template of a database in which all blocks of Everyday are
// visible, in three partitions of which the first was loaded and built. The index
// was at the node's head when it stopped. Its lease is free.
func Followed(ctx context.Context, url string) error {
	if err := Migrated(ctx, url); err != nil {
		return err
	}
	blocks, err := everyday()
	if err != nil {
		return err
	}
	db, err := repo.Open(ctx, repo.Options{URL: url})
	if err != nil {
		return err
	}
	defer db.Close()
	index := NewIndex(ctx, db, 0, 10)
	index.Load(blocks[:20])
	index.Commit(index.Open(20, 40, indexing.RangeReady), blocks[20:40])
	index.Finalized = new(uint64(FollowedFinalized))
	index.Commit(index.Open(40, uint64(len(blocks))+100, indexing.RangeReady), blocks[40:])
	index.RecordHead(FollowedL1)
	index.Release()
	return errors.Join(index.Err(), awake(ctx, url))
}

// Begun is the template of a database in which all blocks of Partial are
// visible, in one partition: its index starts at a later block. Its lease is free.
func Begun(ctx context.Context, url string) error {
	if err := Migrated(ctx, url); err != nil {
		return err
	}
	blocks, err := partial()
	if err != nil {
		return err
	}
	db, err := repo.Open(ctx, repo.Options{URL: url})
	if err != nil {
		return err
	}
	defer db.Close()
	index := NewIndex(ctx, db, PartialFirst, 10)
	index.Finalized = new(uint64(FollowedFinalized))
	index.Commit(index.Open(PartialFirst, PartialFirst+1000, indexing.RangeReady), blocks)
	index.RecordHead(FollowedL1)
	index.Release()
	return errors.Join(index.Err(), awake(ctx, url))
}
