package index

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/uptrace/bun"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/domain/token"
	"astrolabe/repo"
	"astrolabe/repo/model"
	"astrolabe/starknet"
)

// Repairer replaces damaged rows by what the node has confirmed, as the holder
// of a lease. Without the lease, every method that writes returns
// indexing.ErrLeaseLost and changes nothing.
type Repairer struct{ writer *Writer }

// NewRepairer returns the repairer of a database.
func NewRepairer(db *repo.DB) Repairer { return NewWriter(db).Repairer() }

// Repairer returns a repairer for the leader that writes with w.
func (w *Writer) Repairer() Repairer { return Repairer{w} }

// RepairBlock replaces all rows of a block in one transaction: base rows with
// their digest, derived rows, locators, and the checkpoint's hash if the index
// ends with the block. Classes must be those that no earlier block names, and
// Tokens those that appear in no earlier block. If facts changed, results of
// jobs that depend on the block are discarded. It returns the tokens that the
// block was wrongly said to show first.
func (r Repairer) RepairBlock(ctx context.Context, lease indexing.Lease, into indexing.Range, block facts.Block, changed bool) (forgotten []starknet.Felt, err error) {
	w := r.writer.batch(lease.Chain, into)
	blocks := []facts.Block{block}
	w.ask(blocks)
	err = r.writer.lead(ctx, lease, func(tx repo.Tx) error {
		if err := bound(ctx, tx, false); err != nil {
			return err
		}
		if err := run(ctx, tx, "/* repair.lock */ SELECT 1 FROM index_checkpoints WHERE chain = %d FOR UPDATE", w.code); err != nil {
			return err
		}
		if forgotten, err = forgottenTokens(ctx, tx, w.code, &block); err != nil {
			return err
		}
		if err := w.makeTables(ctx, tx); err != nil {
			return err
		}
		if err := w.replace(ctx, tx, blocks); err != nil {
			return err
		}
		if _, err := tx.NewRaw("/* repair.checkpoint */ UPDATE index_checkpoints SET hash = ? WHERE chain = ? AND block = ?",
			block.Header.Hash, w.code, block.Header.Number).Exec(ctx); err != nil {
			return err
		}
		if err := w.clipVerified(ctx, tx, &block.Header); err != nil {
			return err
		}
		if changed {
			if err := retract(ctx, tx, lease.Chain, int64(block.Header.Number)-1); err != nil {
				return err
			}
		}
		if err := repo.AdvanceEpoch(ctx, tx, lease.Chain); err != nil {
			return err
		}
		return notifyBlocks(ctx, tx, lease.Chain)
	})
	if err == nil {
		w.addresses.committed()
		w.selectors.committed()
	}
	return forgotten, err
}

// clipVerified moves the ends of the verified blocks back if a block reached a
// lower level than before. RecordVerified moves them on.
func (w *batchWriter) clipVerified(ctx context.Context, tx bun.IDB, h *facts.Header) error {
	for column, level := range verifiedColumns {
		if facts.Lesser(h.Verification, level) == level {
			continue
		}
		if err := run(ctx, tx, "/* repair.verified */ UPDATE index_checkpoints SET %[1]s = CASE WHEN first_block < %[2]d THEN %[2]d - 1 END WHERE chain = %[3]d AND %[1]s >= %[2]d",
			column, h.Number, w.code); err != nil {
			return err
		}
	}
	return nil
}

// verifiedColumns are the columns of a checkpoint with the last block up to which
// all blocks reached a level.
var verifiedColumns = map[string]facts.Verification{
	"transactions_block": facts.TransactionsVerified, "full_block": facts.FullyVerified,
}

// retract discards the results of jobs that depend on blocks above last.
func retract(ctx context.Context, tx bun.IDB, c domain.Chain, last int64) error {
	if err := retractSums(ctx, tx, c, last); err != nil {
		return err
	}
	if err := retractReadings(ctx, tx, c, last); err != nil {
		return err
	}
	return revokeCensuses(ctx, tx, c, last+1, token.ReasonRederived)
}

// forgottenTokens returns the tokens that a block is stored to show first and
// does not.
func forgottenTokens(ctx context.Context, tx bun.IDB, code int, block *facts.Block) ([]starknet.Felt, error) {
	derived := make([]starknet.Felt, len(block.Tokens))
	for i := range block.Tokens {
		derived[i] = block.Tokens[i].Address
	}
	return repo.Select[starknet.Felt](ctx, tx, fmt.Sprintf(`/* repair.tokens */
		SELECT a.felt FROM tokens t JOIN addresses a ON a.chain = %[1]d AND a.id = t.address
		WHERE t.chain = %[1]d AND t.block = $1 AND NOT a.felt = ANY($2)`, code), int64(block.Header.Number), model.Bytes(derived))
}

// makeTables creates the tables of the range that do not exist.
func (w *batchWriter) makeTables(ctx context.Context, tx repo.Tx) error {
	exist, err := existing(ctx, tx, w.chain, []indexing.Range{w.into})
	if err != nil {
		return err
	}
	for _, table := range rangeTables {
		if !exist[leaf(table.name, w.chain, w.into.From)] {
			if err := makeLeaf(ctx, tx, w.chain, table, w.into); err != nil {
				return err
			}
		}
	}
	return nil
}

// existing returns which tables of ranges exist.
func existing(ctx context.Context, tx bun.IDB, c domain.Chain, ranges []indexing.Range) (map[string]bool, error) {
	var names []string
	for _, r := range ranges {
		for _, table := range rangeTables {
			names = append(names, leaf(table.name, c, r.From))
		}
	}
	found, err := repo.Select[string](ctx, tx, `/* repair.tables */
		SELECT name FROM unnest($1::text[]) AS name WHERE to_regclass(name) IS NOT NULL`, names)
	exist := make(map[string]bool, len(found))
	for _, name := range found {
		exist[name] = true
	}
	return exist, err
}

// replace deletes the rows of one block and writes them again.
func (w *batchWriter) replace(ctx context.Context, tx repo.Tx, blocks []facts.Block) error {
	block := &blocks[0]
	removed, err := w.removeBlock(ctx, tx, block.Header.Number)
	if err != nil {
		return err
	}
	if err := w.removeLocators(ctx, tx, block); err != nil {
		return err
	}
	if err := w.addresses.add(ctx, tx); err != nil {
		return err
	}
	if err := w.selectors.add(ctx, tx); err != nil {
		return err
	}
	for _, write := range []func(context.Context, repo.Tx, []facts.Block) error{
		w.replaceClasses, w.writeSource, w.writeDerived, w.writeChanges, w.writeDeployments, w.rewriteTokens,
	} {
		if err := write(ctx, tx, blocks); err != nil {
			return err
		}
	}
	if w.into.State == indexing.RangeReady {
		if err := w.writeLocators(ctx, tx, blocks); err != nil {
			return err
		}
	}
	_, err = tx.NewRaw("/* repair.events */ UPDATE index_ranges SET events = greatest(events + ?, 0) WHERE chain = ? AND from_block = ?",
		len(block.Events)-removed, w.code, w.into.From).Exec(ctx)
	return err
}

// removeBlock deletes a block's rows from the tables of every range, in case
// they are in the wrong one, and its class changes, implementations,
// declarations, deployments, untyped transfers and events of privacy pools. It
// returns the number of events removed from the block's own range.
func (w *batchWriter) removeBlock(ctx context.Context, tx repo.Tx, number uint64) (events int, err error) {
	ranges, err := rangesAfter(ctx, tx, w.chain, -1)
	if err != nil {
		return 0, err
	}
	exist, err := existing(ctx, tx, w.chain, ranges)
	if err != nil {
		return 0, err
	}
	for _, r := range ranges {
		for _, table := range rangeTables {
			name := leaf(table.name, w.chain, r.From)
			if !exist[name] {
				continue
			}
			rows, err := repo.Changed(tx.NewRaw(fmt.Sprintf("/* repair.remove */ DELETE FROM %s WHERE block = %d", name, number)).Exec(ctx))
			if err != nil {
				return 0, err
			}
			if table.name == "events" && r.From == w.into.From {
				events = rows
			}
		}
	}
	for _, table := range []string{"deployments", "untyped_transfers", "privacy_events", "contract_implementations", "contract_classes", "declarations"} {
		if err := run(ctx, tx, "/* repair.remove */ DELETE FROM %s WHERE chain = %d AND block = %d", table, w.code, number); err != nil {
			return 0, err
		}
	}
	return events, nil
}

// removeLocators deletes the locators of a block's hashes. It uses locators_tag:
// a locator of the block with another tag is found by fsck.
func (w *batchWriter) removeLocators(ctx context.Context, tx repo.Tx, block *facts.Block) error {
	var tags []int64
	tag := func(hash []byte) { tags = append(tags, int64(binary.BigEndian.Uint64(hash[8:]))) }
	tag(block.Header.Hash[:])
	for i := range block.Transactions {
		tag(block.Transactions[i].Hash[:])
	}
	for i := range block.Messages {
		tag(block.Messages[i].Hash[:])
	}
	_, err := repo.Exec(ctx, tx, fmt.Sprintf("/* repair.locators */ DELETE FROM locators WHERE tag = ANY($1) AND chain = %d AND block = $2", w.code),
		tags, int64(block.Header.Number))
	return err
}

// RemoveBlock deletes every row of a block that the index does not have.
func (r Repairer) RemoveBlock(ctx context.Context, lease indexing.Lease, number uint64) error {
	w := r.writer.batch(lease.Chain, indexing.Range{From: math.MaxInt32})
	return r.writer.lead(ctx, lease, func(tx repo.Tx) error {
		if _, err := w.removeBlock(ctx, tx, number); err != nil {
			return err
		}
		for _, table := range []string{"tokens", "locators"} {
			if err := run(ctx, tx, "/* repair.remove */ DELETE FROM %s WHERE chain = %d AND block = %d", table, w.code, number); err != nil {
				return err
			}
		}
		if err := w.removeClasses(ctx, tx, number, nil); err != nil {
			return err
		}
		return repo.AdvanceEpoch(ctx, tx, lease.Chain)
	})
}
