package index

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/uptrace/bun"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/repo"
	"astrolabe/repo/model"
	"astrolabe/starknet"
)

// Surroundings returns where a block is stored and what its neighbours say about
// it. It is false for a block that belongs to no range.
func (r Repairer) Surroundings(ctx context.Context, c domain.Chain, number uint64) (around indexing.Surroundings, held bool, err error) {
	around.Level = facts.Unverified
	err = r.writer.db.Write().RunInTx(ctx, repo.Snapshot, func(ctx context.Context, tx bun.Tx) error {
		ranges, err := rangesAfter(ctx, tx, c, int64(number)-2)
		if err != nil {
			return err
		}
		for _, of := range ranges {
			if of.From <= number && (of.To == 0 || number < of.To) {
				around.Range, held = of, true
			}
		}
		exist, err := existing(ctx, tx, c, ranges)
		if err != nil {
			return err
		}
		var queries []string
		for _, of := range ranges {
			if name := leaf("blocks", c, of.From); exist[name] {
				queries = append(queries, fmt.Sprintf("SELECT block, hash, parent_hash, verification FROM %s WHERE block BETWEEN %d AND %d", name, int64(number)-1, number+1))
			}
		}
		queries = append(queries,
			fmt.Sprintf("SELECT block + 1, hash, hash, 0 FROM index_checkpoints WHERE chain = %d AND block = %d", model.Code(c), number),
			fmt.Sprintf("SELECT %[2]d, NULL, NULL, CASE WHEN full_block >= %[2]d THEN 2 WHEN transactions_block >= %[2]d THEN 1 ELSE 0 END FROM index_checkpoints WHERE chain = %[1]d", model.Code(c), number))
		var rows []struct {
			Block  int64  `bun:"block"`
			Hash   []byte `bun:"hash"`
			Parent []byte `bun:"parent_hash"`
			Level  int    `bun:"verification"`
		}
		if err := tx.NewRaw("/* repair.around */ "+strings.Join(queries, " UNION ALL ")).Scan(ctx, &rows); err != nil {
			return err
		}
		for _, row := range rows {
			switch row.Block - int64(number) {
			case -1:
				around.Before = validFelt(row.Hash)
			case 0:
				around.Hash = cmp.Or(validFelt(row.Hash), around.Hash)
				level := facts.Verifications[max(0, min(row.Level, len(facts.Verifications)-1))]
				if facts.Lesser(level, around.Level) != level {
					around.Level = level
				}
			case 1:
				around.After = validFelt(row.Parent)
			}
		}
		return nil
	})
	return around, held, repo.Outage(err)
}

// validFelt returns nil for bytes that are no felt.
func validFelt(b []byte) *starknet.Felt {
	felt, err := starknet.FeltFromBytes(b)
	if err != nil || len(b) != len(felt) {
		return nil
	}
	return &felt
}

// BlocksOf returns the blocks from one on, in order, in which one of the contracts
// emits an event, or changes its class or a proxy slot. It uses
// events_…_address.
func (r Repairer) BlocksOf(ctx context.Context, c domain.Chain, contracts []starknet.Felt, from uint64) ([]uint64, error) {
	db := r.writer.db.Write()
	ids, err := repo.Select[model.ID](ctx, db, fmt.Sprintf("/* repair.ids */ SELECT id FROM addresses WHERE chain = %d AND felt = ANY($1)", model.Code(c)),
		model.Bytes(contracts))
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	ranges, err := rangesAfter(ctx, db, c, int64(from)-1)
	if err != nil {
		return nil, err
	}
	var queries []string
	for _, table := range []string{"contract_classes", "contract_implementations"} {
		queries = append(queries, fmt.Sprintf("SELECT block FROM %s WHERE chain = %d AND address = ANY($1::integer[]) AND block >= $2", table, model.Code(c)))
	}
	for _, of := range ranges {
		queries = append(queries, fmt.Sprintf("SELECT block FROM %s WHERE address = ANY($1::integer[]) AND block >= $2", leaf("events", c, of.From)))
	}
	list := make([]int32, len(ids))
	for i := range ids {
		list[i] = int32(ids[i])
	}
	return numbers(ctx, db, "/* repair.later */ SELECT DISTINCT block FROM ("+strings.Join(queries, " UNION ALL ")+") AS later ORDER BY block", list, int64(from))
}

// Rewrite is Writer.Rewrite.
func (r Repairer) Rewrite(ctx context.Context, lease indexing.Lease, run indexing.Run) error {
	return r.writer.Rewrite(ctx, lease, run, indexing.DerivedTables...)
}
