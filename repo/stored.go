package repo

import (
	"context"
	"fmt"
	"iter"
	"math"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
)

// Stored returns the stored blocks from one to another, both included, with
// all their rows. They are equal to the blocks that were committed, with these
// rules: an empty list is nil, Classes are ordered by hash and hold what their
// rows say without the compiled ABI, and Tokens are those that no earlier
// block showed.
//
// Blocks that readers cannot see yet are there, too; blocks that the index
// does not hold are left out. Rows that make no sense are indexing.ErrDamaged.
// Memory is bounded by the largest block. A reorg can happen in between.
func (db *DB) Stored(ctx context.Context, c domain.Chain, from, to uint64) iter.Seq2[facts.Block, error] {
	return func(yield func(facts.Block, error) bool) {
		for run, err := range db.StoredRuns(ctx, c, from, to) {
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

// StoredRuns does the same by runs of about as many rows. Each run is read in
// one moment, with one statement per table.
func (db *DB) StoredRuns(ctx context.Context, c domain.Chain, from, to uint64) iter.Seq2[indexing.Run, error] {
	return func(yield func(indexing.Run, error) bool) {
		r := &reading{chain: c, code: chainCode(c), addresses: newGlossary("addresses"), selectors: newGlossary("selectors")}
		to = min(to, math.MaxInt32)
		for from <= to {
			var run indexing.Run
			err := pgx.BeginTxFunc(ctx, db.pool, snapshot, func(tx pgx.Tx) (err error) {
				run, err = r.run(ctx, tx, from, to)
				return err
			})
			if err != nil {
				yield(indexing.Run{}, outage(err))
				return
			}
			if len(run.Blocks) == 0 || !yield(run, nil) {
				return
			}
			from = run.Blocks[len(run.Blocks)-1].Header.Number + 1
		}
	}
}

// snapshot is a transaction that sees one moment.
var snapshot = pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}

// The size of a run: so many blocks, but no more transactions and events than
// that unless one block has them.
const (
	runBlocks = 500
	runRows   = 20_000
)

// reading reads runs of one chain.
type reading struct {
	chain                domain.Chain
	code                 int
	addresses, selectors *glossary
}

// run reads the next run from a block on; it is empty when there is none.
func (r *reading) run(ctx context.Context, tx pgx.Tx, from, to uint64) (indexing.Run, error) {
	ranges, err := rangesAfter(ctx, tx, r.chain, int64(from)-1)
	if err != nil {
		return indexing.Run{}, err
	}
	for _, within := range ranges {
		blocks, err := r.headers(ctx, tx, within, from, to)
		if err != nil {
			return indexing.Run{}, err
		}
		if len(blocks) > 0 {
			run := indexing.Run{Range: within, Blocks: blocks}
			return run, r.fill(ctx, tx, run)
		}
	}
	return indexing.Run{}, nil
}

// headers reads the blocks of the next run.
func (r *reading) headers(ctx context.Context, tx pgx.Tx, within indexing.Range, from, to uint64) ([]facts.Block, error) {
	rows, err := tx.Query(ctx, fmt.Sprintf(`/* stored.blocks */
		SELECT %s FROM %s WHERE block BETWEEN $1 AND $2 ORDER BY block LIMIT %d`,
		blockColumns, leaf("blocks", r.chain, within.From), runBlocks), pgx.QueryExecModeDescribeExec, binaryResults, int64(from), int64(to))
	if err != nil {
		return nil, err
	}
	collected, err := pgx.CollectRows(rows, collectFields)
	if err != nil {
		return nil, err
	}
	size := 0
	blocks := make([]facts.Block, 0, len(collected))
	for i := range collected {
		header := storedHeader(&collected[i])
		if collected[i].bad {
			return nil, damaged("blocks", header.Number, "a value is malformed")
		}
		size += header.Transactions + header.Events
		if i > 0 && size > runRows {
			break
		}
		blocks = append(blocks, facts.Block{Header: header})
	}
	return blocks, nil
}

// fill reads everything else of a run.
func (r *reading) fill(ctx context.Context, tx pgx.Tx, run indexing.Run) error {
	into := newRunBlocks(run.Blocks)
	if err := r.rangeRows(ctx, tx, run.Range, into); err != nil {
		return err
	}
	for _, read := range []func(context.Context, pgx.Tx, *runOfBlocks) error{
		r.declarations, r.changes, r.deployments, r.tokens, r.classes,
	} {
		if err := read(ctx, tx, into); err != nil {
			return err
		}
	}
	return nil
}

// runOfBlocks finds the block of a row.
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

// at returns the block of a row of a table.
func (r *runOfBlocks) at(table facts.Table, number uint64) (*facts.Block, error) {
	if b, ok := r.blocks[number]; ok {
		return b, nil
	}
	return nil, damaged(table, number, "there is no such block")
}

func damaged(table facts.Table, block uint64, what string) error {
	return &indexing.DamageError{Table: table, Block: &block, What: what}
}
