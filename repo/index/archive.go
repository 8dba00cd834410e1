package index

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"

	"github.com/uptrace/bun"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/repo"
	"astrolabe/repo/model"
	"astrolabe/starknet"
)

// Archive reads stored blocks and classes back as the facts that were written.
type Archive struct{ db *repo.DB }

var (
	_ chain.ClassStore   = Archive{}
	_ indexing.Archive   = Archive{}
	_ indexing.Histories = Archive{}
)

// NewArchive returns the archive of a database.
func NewArchive(db *repo.DB) Archive { return Archive{db} }

// ErrMoved reports that a reorg undid blocks while they were read.
var ErrMoved = errors.New("a reorg changed the index during the read; retry")

// Digest returns the digest of the whole index of a chain, in hexadecimal.
func (a Archive) Digest(ctx context.Context, c domain.Chain) (string, error) {
	checkpoint, err := NewCheckpoints(a.db).Checkpoint(ctx, c)
	if err != nil {
		return "", err
	}
	fold := new(facts.Fold)
	if checkpoint != nil && checkpoint.Block != nil {
		if fold, err = a.DigestBlocks(ctx, c, checkpoint.First, checkpoint.Block.Number); err != nil {
			return "", err
		}
	}
	return fold.Sum().String(), nil
}

// DigestBlocks folds the stored blocks from one to another, both included. It
// returns ErrMoved if the last of them was replaced meanwhile.
func (a Archive) DigestBlocks(ctx context.Context, c domain.Chain, from, to uint64) (*facts.Fold, error) {
	before, _, err := NewCheckpoints(a.db).BlockHash(ctx, c, to)
	if err != nil {
		return nil, err
	}
	fold := new(facts.Fold)
	for block, err := range a.Stored(ctx, c, from, to) {
		if err != nil {
			return nil, err
		}
		fold.Add(&block)
	}
	after, _, err := NewCheckpoints(a.db).BlockHash(ctx, c, to)
	if err == nil && after != before {
		err = ErrMoved
	}
	return fold, err
}

// Stored returns the stored blocks from one to another, both included, with all
// their rows. They equal the blocks that were committed, except: an empty list
// is nil, Classes are ordered by hash and lack the compiled ABI, and Tokens are
// only those that appeared in no earlier block.
//
// Blocks that readers cannot see yet are included; blocks that the index does
// not hold are left out. Inconsistent rows are indexing.ErrDamaged. Memory is
// bounded by the largest block. A reorg can happen between two blocks.
func (a Archive) Stored(ctx context.Context, c domain.Chain, from, to uint64) iter.Seq2[facts.Block, error] {
	return func(yield func(facts.Block, error) bool) {
		for run, err := range a.StoredRuns(ctx, c, from, to) {
			if err != nil {
				yield(facts.Block{}, err)
				return
			}
			for i := range run.Blocks {
				if !yield(run.Blocks[i], nil) {
					return
				}
			}
		}
	}
}

// StoredRuns is Stored in runs of about equally many rows. Each run is read
// from one snapshot, with one statement per table.
func (a Archive) StoredRuns(ctx context.Context, c domain.Chain, from, to uint64) iter.Seq2[indexing.Run, error] {
	return func(yield func(indexing.Run, error) bool) {
		r := &reading{chain: c, code: model.Code(c), addresses: newGlossary("addresses"), selectors: newGlossary("selectors")}
		to = min(to, math.MaxInt32)
		for from <= to {
			var run indexing.Run
			err := a.db.Write().RunInTx(ctx, repo.Snapshot, func(ctx context.Context, tx bun.Tx) (err error) {
				run, err = r.run(ctx, tx, from, to)
				return err
			})
			if err != nil {
				yield(indexing.Run{}, repo.Outage(err))
				return
			}
			if len(run.Blocks) == 0 || !yield(run, nil) {
				return
			}
			from = run.Blocks[len(run.Blocks)-1].Header.Number + 1
		}
	}
}

// FirstSeen returns the tokens that first appeared before the given block.
func (a Archive) FirstSeen(ctx context.Context, c domain.Chain, before uint64) (indexing.FirstSeen, error) {
	var rows []struct {
		Felt  starknet.Felt     `bun:"felt"`
		Block model.BlockNumber `bun:"block"`
	}
	err := a.db.Write().NewRaw(`/* token.first_seen */
		SELECT a.felt, t.block FROM tokens t JOIN addresses a ON a.chain = ?0 AND a.id = t.address
		WHERE t.chain = ?0 AND t.block < ?1`, model.Code(c), before).Scan(ctx, &rows)
	if err != nil {
		return nil, repo.Outage(err)
	}
	seen := make(indexing.FirstSeen, len(rows))
	for i := range rows {
		seen[rows[i].Felt] = uint64(rows[i].Block)
	}
	return seen, nil
}

// The size of a run: at most this many blocks, and at most this many
// transactions and events unless a single block has more.
const (
	runBlocks = 500
	runRows   = 20_000
)

// reading reads the runs of one chain.
type reading struct {
	chain                domain.Chain
	code                 int
	addresses, selectors *glossary
}

// run reads the next run, beginning at block from. It is empty if there are no
// more blocks.
func (r *reading) run(ctx context.Context, tx bun.IDB, from, to uint64) (indexing.Run, error) {
	ranges, err := rangesAfter(ctx, tx, r.chain, int64(from)-1)
	if err != nil {
		return indexing.Run{}, err
	}
	for _, within := range ranges {
		run, err := r.headers(ctx, tx, within, from, to)
		if err != nil {
			return indexing.Run{}, err
		}
		if len(run.Blocks) > 0 {
			return run, r.fill(ctx, tx, run)
		}
	}
	return indexing.Run{}, nil
}

// headers reads the blocks of the next run.
func (r *reading) headers(ctx context.Context, tx bun.IDB, within indexing.Range, from, to uint64) (indexing.Run, error) {
	span := span{facts.TableBlocks, from, to}
	rows, err := readRows[model.Block](ctx, tx, span, fmt.Sprintf(`/* stored.blocks */
		SELECT %s FROM %s WHERE block BETWEEN $1 AND $2 ORDER BY block LIMIT %d`,
		blockColumns, leaf("blocks", r.chain, within.From), runBlocks))
	run := indexing.Run{Range: within}
	if err != nil {
		return run, err
	}
	size := 0
	for i := range rows {
		header, ok := headerOf(&rows[i])
		if !ok {
			return run, span.damaged(rows[i].Block)
		}
		size += header.Transactions + header.Events
		if i > 0 && size > runRows {
			break
		}
		run.Blocks = append(run.Blocks, facts.Block{Header: header})
		run.Digests = append(run.Digests, storedDigest(rows[i].BaseDigest))
	}
	return run, nil
}

// storedDigest returns a digest as it is stored. One of another length holds for
// no row.
func storedDigest(b []byte) *facts.Digest {
	if b == nil {
		return nil
	}
	digest := new(facts.Digest)
	if len(b) == len(digest) {
		copy(digest[:], b)
	}
	return digest
}

// fill reads the other rows of a run.
func (r *reading) fill(ctx context.Context, tx bun.IDB, run indexing.Run) error {
	into := newRunBlocks(run.Blocks)
	if err := r.rangeRows(ctx, tx, run.Range, into); err != nil {
		return err
	}
	for _, read := range []func(context.Context, bun.IDB, *runOfBlocks) error{
		r.declarations, r.changes, r.implementations, r.untyped, r.poolEvents, r.deployments, r.tokens, r.classes,
	} {
		if err := read(ctx, tx, into); err != nil {
			return err
		}
	}
	return nil
}

// runOfBlocks finds the block that a row belongs to.
type runOfBlocks struct {
	first, last uint64
	blocks      map[uint64]*facts.Block
}

func newRunBlocks(blocks []facts.Block) *runOfBlocks {
	run := &runOfBlocks{blocks[0].Header.Number, blocks[len(blocks)-1].Header.Number, make(map[uint64]*facts.Block, len(blocks))}
	for i := range blocks {
		run.blocks[blocks[i].Header.Number] = &blocks[i]
	}
	return run
}

// span selects the rows of a table in a range of blocks, both ends included.
type span struct {
	table       facts.Table
	first, last uint64
}

func (s span) damaged(block model.BlockNumber) error {
	return &indexing.DamageError{Table: s.table, Block: new(uint64(block)), What: "a value is malformed, or an id is in no dictionary"}
}

// readRows reads the rows of a span; $1 and $2 are its first and its last
// block. A value that is invalid for its column is damage; the blocks are then
// read again one by one to find the damaged one.
func readRows[T any](ctx context.Context, tx bun.IDB, s span, sql string) ([]T, error) {
	rows, err := repo.Select[T](ctx, tx, sql, int64(s.first), int64(s.last))
	if err == nil || !repo.Malformed(err) {
		return rows, err
	}
	numbers, listing := repo.Select[model.BlockNumber](ctx, tx,
		"/* stored.damaged */ SELECT DISTINCT block FROM ("+sql+") AS rows ORDER BY block", int64(s.first), int64(s.last))
	if listing != nil {
		return nil, listing
	}
	for _, number := range numbers {
		if _, err := repo.Select[T](ctx, tx, sql, int64(number), int64(number)); repo.Malformed(err) {
			return nil, s.damaged(number)
		}
	}
	return nil, err
}

// fillRows converts rows and adds them to the lists of their blocks.
func fillRows[T, F any](into *runOfBlocks, table facts.Table, rows []T, block func(*T) model.BlockNumber, list func(*facts.Block) *[]F, convert func(*T) (F, bool)) error {
	s := span{table, into.first, into.last}
	for i := range rows {
		number := block(&rows[i])
		of, ok := into.blocks[uint64(number)]
		if !ok {
			return &indexing.DamageError{Table: table, Block: new(uint64(number)), What: "there is no such block"}
		}
		fact, ok := convert(&rows[i])
		if !ok {
			return s.damaged(number)
		}
		*list(of) = append(*list(of), fact)
	}
	return nil
}
