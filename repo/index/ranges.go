package index

import (
	"context"
	"fmt"
	"strings"

	"github.com/uptrace/bun"

	"astrolabe/domain"
	"astrolabe/domain/indexing"
	"astrolabe/failpoint"
	"astrolabe/repo"
	"astrolabe/repo/model"
)

// rangeIndex is an index that the tables of all partitions have.
type rangeIndex struct {
	name    string
	columns string // of its key; after "covering", the INCLUDE columns
	unique  bool
}

// rangeTable is a table that is partitioned by blocks.
type rangeTable struct {
	name    string
	indexes []rangeIndex
}

// rangeTables are the tables of a partition. The comment of an index names the
// reads that need it; a page is read in index order and stops after its rows.
var rangeTables = []rangeTable{
	{"blocks", []rangeIndex{
		{"place", "block", true},            // a block by number; the list of blocks; undo
		{"time", "timestamp, block", false}, // the block at a time
	}},
	{"transactions", []rangeIndex{
		{"place", "block, tx", true}, // a located transaction; a block's transactions; undo
	}},
	{"events", []rangeIndex{
		{"place", "block, tx, log", true},                                // a transaction's events; undo
		{"selector", "selector, block, tx, log", false},                  // events by first key
		{"address", "address, block, tx, log", false},                    // events of a contract
		{"address_selector", "address, selector, block, tx, log", false}, // events of a contract by first key
	}},
	{"messages", []rangeIndex{
		{"place", "block, tx, to_l1, idx", true},                         // a transaction's messages; all messages; undo
		{"direction", "to_l1, block, tx, idx", false},                    // all messages in one direction
		{"contract", "contract, block, tx, to_l1, idx", false},           // a contract's messages
		{"contract_direction", "contract, to_l1, block, tx, idx", false}, // a contract's messages in one direction
	}},
	{"transfers", []rangeIndex{
		{"place", "block, tx, log, idx", true},                            // a transaction's transfers; undo
		{"token", "token, block, tx, log, idx", false},                    // a token's transfers
		{"sender", "sender, block, tx, log, idx", false},                  // what an address sent
		{"receiver", "receiver, block, tx, log, idx", false},              // what an address received
		{"sender_token", "sender, token, block, tx, log, idx", false},     // what an address sent of a token
		{"receiver_token", "receiver, token, block, tx, log, idx", false}, // what it received of a token; which tokens it received
	}},
	{"activity", []rangeIndex{
		{"address", "address, block, tx covering kinds, items", true}, // an address' transactions, activity and their count
		{"place", "block", false},                                     // undo
	}},
}

// leaf names the table of a partition.
func leaf(table string, c domain.Chain, from uint64) string {
	return fmt.Sprintf("%s_%d_%d", table, model.Code(c), from)
}

// OpenRange creates the tables of a new partition. A loading partition is invisible and
// has neither indexes nor an end; a ready one ends before the block to and is
// written with its indexes in place. Opening an open partition changes nothing.
func (w *Writer) OpenRange(ctx context.Context, lease indexing.Lease, r indexing.Range) error {
	return w.lead(ctx, lease, func(tx repo.Tx) error {
		opened := model.Range{Chain: model.Chain(lease.Chain), FromBlock: model.BlockNumber(r.From), State: string(r.State)}
		if r.To != 0 {
			opened.ToBlock = new(model.BlockNumber(r.To))
		}
		inserted, err := repo.Changed(tx.NewInsert().Model(&opened).Column("chain", "from_block", "to_block", "state").
			On("CONFLICT DO NOTHING").Comment("range.open").Exec(ctx))
		if err != nil || inserted == 0 {
			return err
		}
		for _, table := range rangeTables {
			if err := makeLeaf(ctx, tx, lease.Chain, table, r); err != nil {
				return err
			}
		}
		failpoint.Hit(failpoint.RangeOpened)
		return nil
	})
}

func makeLeaf(ctx context.Context, tx bun.IDB, c domain.Chain, table rangeTable, r indexing.Range) error {
	name := leaf(table.name, c, r.From)
	if err := run(ctx, tx, "/* range.create */ CREATE TABLE %s (LIKE %s INCLUDING DEFAULTS INCLUDING STORAGE)", name, table.name); err != nil {
		return err
	}
	if r.State != indexing.RangeReady {
		return nil
	}
	for _, index := range table.indexes {
		if err := run(ctx, tx, "%s", index.create(name)); err != nil {
			return err
		}
	}
	return attach(ctx, tx, c, table.name, r)
}

// create returns the statement that creates the index if it does not exist.
func (i rangeIndex) create(table string) string {
	unique := ""
	if i.unique {
		unique = "UNIQUE "
	}
	columns := "(" + strings.Replace(i.columns, covering, ") INCLUDE (", 1) + ")"
	return fmt.Sprintf("/* range.index */ CREATE %sINDEX IF NOT EXISTS %s_%s ON %s %s", unique, table, i.name, table, columns)
}

const covering = " covering "

// all returns the columns of the key and those that the index covers.
func (i rangeIndex) all() string { return strings.Replace(i.columns, covering, ", ", 1) }

// attach makes a partition's table part of the partitioned one.
func attach(ctx context.Context, tx bun.IDB, c domain.Chain, table string, r indexing.Range) error {
	return run(ctx, tx, "/* range.attach */ ALTER TABLE %s_%d ATTACH PARTITION %s FOR VALUES FROM (%d) TO (%d)",
		table, model.Code(c), leaf(table, c, r.From), r.From, r.To)
}

// SealRange ends a loading partition before the block to: it takes no more rows,
// and BuildRange is next.
func (w *Writer) SealRange(ctx context.Context, lease indexing.Lease, r indexing.Range) error {
	return w.lead(ctx, lease, func(tx repo.Tx) error {
		_, err := tx.NewRaw(`/* range.seal */
			UPDATE index_ranges SET state = 'indexing', to_block = ?
			WHERE chain = ? AND from_block = ? AND state = 'loading'`,
			r.To, model.Code(lease.Chain), r.From).Exec(ctx)
		failpoint.Hit(failpoint.RangeSealed)
		return err
	})
}

// BuildRange creates the indexes of a sealed partition and then makes it visible to
// readers, with its locators, in one transaction. It resumes after a failed
// attempt: an index is created completely or not at all.
func (w *Writer) BuildRange(ctx context.Context, lease indexing.Lease, r indexing.Range) error {
	for _, table := range rangeTables {
		name := leaf(table.name, lease.Chain, r.From)
		for _, index := range table.indexes {
			if err := run(ctx, w.db.Write(), "%s", index.create(name)); err != nil {
				return repo.WriteFailure(err)
			}
			failpoint.Hit(failpoint.RangeIndexed)
		}
	}
	if err := w.AnalyzeRange(ctx, lease, r); err != nil {
		return err
	}
	return w.lead(ctx, lease, func(tx repo.Tx) error {
		updated, err := repo.Changed(tx.NewRaw(`/* range.ready */
			UPDATE index_ranges SET state = 'ready' WHERE chain = ? AND from_block = ? AND state = 'indexing'`,
			model.Code(lease.Chain), r.From).Exec(ctx))
		if err != nil || updated == 0 {
			return err
		}
		for _, table := range rangeTables {
			if err := attach(ctx, tx, lease.Chain, table.name, r); err != nil {
				return err
			}
		}
		if err := locate(ctx, tx, lease.Chain, r.From, r.To); err != nil {
			return err
		}
		failpoint.Hit(failpoint.RangeReady)
		return notifyBlocks(ctx, tx, lease.Chain)
	})
}

// assumeSelectors makes the planner assume that a partition has many first keys.
// Plans are generic: where one key is so frequent that a sample contains no
// other, the planner would scan all events for a page of a rare key.
const assumeSelectors = "/* range.assume */ ALTER TABLE %s ALTER COLUMN selector SET (n_distinct = 1000)"

// AnalyzeRange updates the planner's statistics of a partition's tables. Without
// them it sorts whole histories instead of reading a page in index order.
func (w *Writer) AnalyzeRange(ctx context.Context, lease indexing.Lease, r indexing.Range) error {
	if err := run(ctx, w.db.Write(), assumeSelectors, leaf("events", lease.Chain, r.From)); err != nil {
		return repo.WriteFailure(err)
	}
	for _, table := range rangeTables {
		if err := run(ctx, w.db.Write(), "/* range.analyze */ ANALYZE %s", leaf(table.name, lease.Chain, r.From)); err != nil {
			return repo.WriteFailure(err)
		}
	}
	return nil
}

// locatorRows selects the locators of the blocks from %[2]d up to %[3]d.
const locatorRows = `
	SELECT locator_tag(hash) AS tag, block, 0 AS tx, 1 AS kind, %[1]d AS chain
	FROM blocks WHERE chain = %[1]d AND block >= %[2]d AND block < %[3]d
	UNION ALL
	SELECT locator_tag(hash), block, tx, 2, %[1]d
	FROM transactions WHERE chain = %[1]d AND block >= %[2]d AND block < %[3]d
	UNION ALL
	SELECT locator_tag(hash), block, tx, 3, %[1]d
	FROM messages WHERE chain = %[1]d AND block >= %[2]d AND block < %[3]d`

// locate writes the locators of visible blocks. They are sorted, so that their
// index is dense and touches few pages.
func locate(ctx context.Context, tx bun.IDB, c domain.Chain, from, to uint64) error {
	return run(ctx, tx, "/* locator.add */ INSERT INTO locators (tag, block, tx, kind, chain)"+locatorRows+" ORDER BY tag",
		model.Code(c), from, to)
}
