package index

import (
	"context"
	"fmt"
	"math"

	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/domain/token"
	"astrolabe/failpoint"
	"astrolabe/repo"
	"astrolabe/repo/model"
)

// Rewrite replaces the rows of derived tables for a run of stored blocks, in
// one transaction. Tokens must be those that appear in no earlier block, and
// runs must be rewritten in order of blocks: a token's row moves to the block
// in which it appears first. Without the lease it returns indexing.ErrLeaseLost
// and changes nothing.
func (w *Writer) Rewrite(ctx context.Context, lease indexing.Lease, run indexing.Run, tables ...facts.Table) error {
	b := w.batch(lease.Chain, run.Range)
	for i := range run.Blocks {
		b.askDerived(&run.Blocks[i])
	}
	err := w.lead(ctx, lease, func(tx repo.Tx) error {
		if err := bound(ctx, tx, false); err != nil {
			return err
		}
		if err := b.addresses.add(ctx, tx); err != nil {
			return err
		}
		if err := b.findClasses(ctx, tx, run.Blocks); err != nil {
			return err
		}
		for _, table := range tables {
			if err := b.rewrite(ctx, tx, table, run.Blocks); err != nil {
				return fmt.Errorf("rewrite %s: %w", table, err)
			}
		}
		err := repo.AdvanceEpoch(ctx, tx, lease.Chain)
		failpoint.Hit(failpoint.RewriteRows)
		return err
	})
	if err == nil {
		b.addresses.committed()
	}
	return err
}

func (w *batchWriter) rewrite(ctx context.Context, tx repo.Tx, table facts.Table, blocks []facts.Block) error {
	first, last := blocks[0].Header.Number, blocks[len(blocks)-1].Header.Number
	remove := func(from string) error {
		return run(ctx, tx, "/* rewrite.remove */ DELETE FROM %s WHERE chain = %d AND block BETWEEN %d AND %d", from, w.code, first, last)
	}
	switch table {
	case facts.TableTransfers:
		if err := resetSums(ctx, tx, w.chain, int64(first)-1); err != nil {
			return err
		}
		if err := resetLedger(ctx, tx, w.chain, int64(first)-1); err != nil { // fees are transfers
			return err
		}
		if err := remove(leaf("transfers", w.chain, w.into.From)); err != nil {
			return err
		}
		if err := revokeCensuses(ctx, tx, w.chain, int64(first), token.ReasonRederived); err != nil {
			return err
		}
		return w.writeTransfers(ctx, tx, blocks)
	case facts.TableUntyped:
		if err := remove("untyped_transfers"); err != nil {
			return err
		}
		return w.writeUntyped(ctx, tx, blocks)
	case facts.TablePrivacyEvents:
		if err := resetLedger(ctx, tx, w.chain, int64(first)-1); err != nil {
			return err
		}
		if err := remove("privacy_events"); err != nil {
			return err
		}
		return w.writePoolEvents(ctx, tx, blocks)
	case facts.TableActivity:
		if err := remove(leaf("activity", w.chain, w.into.From)); err != nil {
			return err
		}
		return w.writeActivity(ctx, tx, blocks)
	case facts.TableDeployments:
		if err := remove("deployments"); err != nil {
			return err
		}
		return w.writeDeployments(ctx, tx, blocks)
	case facts.TableTokens:
		return w.rewriteTokens(ctx, tx, blocks)
	}
	return fmt.Errorf("%s is not derived", table)
}

// rewriteTokens keeps the metadata of tokens that remain.
func (w *batchWriter) rewriteTokens(ctx context.Context, tx repo.Tx, blocks []facts.Block) error {
	tokens, err := w.tokens(blocks)
	if err != nil {
		return err
	}
	if _, err := repo.Exec(ctx, tx, `/* token.forget */
		DELETE FROM tokens WHERE chain = $1 AND block BETWEEN $2 AND $3 AND NOT address = ANY($4::integer[])`,
		w.code, int64(blocks[0].Header.Number), int64(blocks[len(blocks)-1].Header.Number), tokens.addresses); err != nil {
		return err
	}
	_, err = repo.Exec(ctx, tx, `/* token.rewrite */
		INSERT INTO tokens (chain, address, block, standard)
		SELECT $1::smallint, address, block, standard
		FROM unnest($2::integer[], $3::integer[], $4::smallint[]) AS seen (address, block, standard)
		ON CONFLICT (chain, address) DO UPDATE SET block = excluded.block, standard = excluded.standard`,
		w.code, tokens.addresses, tokens.blocks, tokens.standards)
	return err
}

// RewriteSchemas replaces the rows that were derived from the ABIs of stored
// classes.
func (w *Writer) RewriteSchemas(ctx context.Context, lease indexing.Lease, classes []*facts.Class) error {
	b := w.batch(lease.Chain, indexing.Range{})
	b.askDerived(&facts.Block{Classes: classes})
	err := w.lead(ctx, lease, func(tx repo.Tx) error {
		if err := b.selectors.add(ctx, tx); err != nil {
			return err
		}
		if err := b.rewriteSchemas(ctx, tx, classes); err != nil {
			return err
		}
		err := repo.AdvanceEpoch(ctx, tx, lease.Chain)
		failpoint.Hit(failpoint.RewriteSchemas)
		return err
	})
	if err == nil {
		b.selectors.committed()
	}
	return err
}

// rewriteSchemas is RewriteSchemas within a transaction.
func (w *batchWriter) rewriteSchemas(ctx context.Context, tx repo.Tx, classes []*facts.Class) error {
	var events, functions copyRows
	for _, class := range classes {
		var id model.ID
		if err := tx.NewRaw(`/* class.rewrite */
			UPDATE classes SET standard = ?, account = ? WHERE chain = ? AND hash = ? RETURNING id`,
			model.Standard(class.Standard), class.Account, w.code, class.Hash).Scan(ctx, &id); err != nil {
			return err
		}
		for _, table := range []string{"event_schemas", "function_schemas"} {
			if err := run(ctx, tx, "/* schema.remove */ DELETE FROM %s WHERE chain = %d AND class = %d", table, w.code, id); err != nil {
				return err
			}
		}
		w.schemas(&events, &functions, id, class)
	}
	if err := events.into(ctx, tx, "event_schemas", eventSchemaColumns); err != nil {
		return err
	}
	return functions.into(ctx, tx, "function_schemas", functionSchemaColumns)
}

// RewriteLocators replaces every locator of a chain.
func (w *Writer) RewriteLocators(ctx context.Context, lease indexing.Lease) error {
	return w.lead(ctx, lease, func(tx repo.Tx) error {
		if err := run(ctx, tx, "/* locator.clear */ DELETE FROM locators WHERE chain = %d", model.Code(lease.Chain)); err != nil {
			return err
		}
		if err := locate(ctx, tx, lease.Chain, 0, math.MaxInt32); err != nil {
			return err
		}
		err := repo.AdvanceEpoch(ctx, tx, lease.Chain)
		failpoint.Hit(failpoint.RewriteLocators)
		return err
	})
}

// RecordVersions records that the rows of these facts were made by the current
// versions of their derivers.
func (w *Writer) RecordVersions(ctx context.Context, lease indexing.Lease, names ...string) error {
	return w.lead(ctx, lease, func(tx repo.Tx) error {
		err := recordVersions(ctx, tx, lease.Chain, names)
		failpoint.Hit(failpoint.RewriteVersions)
		return err
	})
}
