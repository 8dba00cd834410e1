package events

import (
	"context"
	"fmt"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"

	"astrolabe/domain"
	"astrolabe/domain/event"
	"astrolabe/repo"
	"astrolabe/repo/model"
	"astrolabe/starknet"
)

// DeclareCertificates makes the certificates of a chain those of the given
// positions: it creates missing ones, which cover nothing yet, and discards the
// others.
func (r Certificates) DeclareCertificates(ctx context.Context, c domain.Chain, declared []event.SelectorPosition) error {
	selectors, places := make([]starknet.Felt, len(declared)), make([]int64, len(declared))
	for i := range declared {
		selectors[i], places[i] = declared[i].Selector, int64(declared[i].Position)
	}
	code, selectorList, placeList := model.Code(c), pgdialect.Array(model.Bytes(selectors)), pgdialect.Array(places)
	return repo.Failure(ctx, r.db.Write().RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		if _, err := tx.NewDelete().Model((*model.Certificate)(nil)).Comment("certificate.undeclare").Where("chain = ?", code).
			Where("(selector, position) NOT IN (SELECT s, p FROM unnest(?::bytea[], ?::smallint[]) AS d (s, p))", selectorList, placeList).
			Exec(ctx); err != nil {
			return err
		}
		var added []int64
		if err := tx.NewRaw(`/* certificate.declare */
			INSERT INTO event_certificates (chain, selector, position)
			SELECT ?0, s, p FROM unnest(?1::bytea[], ?2::smallint[]) AS d (s, p)
			WHERE NOT EXISTS (SELECT FROM event_certificates WHERE chain = ?0 AND selector = s AND position = p)
			ON CONFLICT DO NOTHING RETURNING id`, code, selectorList, placeList).Scan(ctx, &added); err != nil {
			return err
		}
		for _, id := range added {
			if _, err := tx.NewRaw(`/* certificate.table */
				CREATE TABLE ? (value bytea NOT NULL, block integer NOT NULL, tx smallint NOT NULL, log smallint NOT NULL)`,
				bun.Ident(positions(id))).Exec(ctx); err != nil {
				return fmt.Errorf("create the table of certificate %d: %w", id, err)
			}
		}
		return nil
	}))
}

// IndexCertificate creates the index on a certificate's keys. Rows are loaded
// without it, and it must exist before the first read.
func (r Certificates) IndexCertificate(ctx context.Context, id int64) error {
	table := positions(id)
	err := r.db.Write().RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		if _, err := tx.NewRaw("/* certificate.alone */ SELECT pg_advisory_xact_lock(?, ?)", certificateLock, lockID(id)).Exec(ctx); err != nil {
			return err
		}
		_, err := tx.NewRaw("/* certificate.index */ CREATE INDEX IF NOT EXISTS ? ON ? (value, block, tx, log)",
			bun.Ident(table+"_value"), bun.Ident(table)).Exec(ctx)
		return err
	})
	if err == nil { // allows index-only scans
		_, err = r.db.Write().NewRaw("/* certificate.analyze */ VACUUM (ANALYZE) ?", bun.Ident(table)).Exec(ctx)
	}
	return repo.WriteFailure(err)
}

// certificateLock is the class of the advisory locks for indexing or counting a
// certificate.
const certificateLock = 8207

func lockID(certificate int64) int64 { return certificate % (1 << 31) }

// DiscardCertificate deletes a certificate, which is rebuilt if it is still
// declared. It returns false if there is none.
func (r Certificates) DiscardCertificate(ctx context.Context, c domain.Chain, at event.SelectorPosition) (bool, error) {
	result, err := r.db.Write().NewDelete().Model((*model.Certificate)(nil)).Comment("certificate.discard").
		Where("chain = ?", model.Code(c)).Where("selector = ?", at.Selector).Where("position = ?", at.Position).Exec(ctx)
	if err != nil {
		return false, repo.Failure(ctx, err)
	}
	discarded, err := result.RowsAffected()
	return discarded > 0, err
}

// SweepCertificates drops the tables of discarded certificates.
func (r Certificates) SweepCertificates(ctx context.Context) error {
	var orphans []string
	err := r.db.Write().NewRaw(`/* certificate.orphans */
		SELECT t.relname FROM pg_class t
		WHERE t.relkind = 'r' AND t.relname ~ '^event_positions_[0-9]+$' AND pg_table_is_visible(t.oid)
			AND NOT EXISTS (SELECT FROM event_certificates c WHERE t.relname = 'event_positions_' || c.id)`).Scan(ctx, &orphans)
	for _, table := range orphans {
		if err != nil {
			break
		}
		err = r.drop(ctx, table)
	}
	return repo.Failure(ctx, err)
}

// drop drops the table of a discarded certificate. A reader may still use it:
// if the lock is not granted soon, the next run tries again.
func (r Certificates) drop(ctx context.Context, table string) error {
	return r.db.Write().RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		if _, err := tx.NewRaw("/* certificate.lock_timeout */ SET LOCAL lock_timeout = '2s'").Exec(ctx); err != nil {
			return err
		}
		if _, err := tx.NewRaw("/* certificate.drop */ DROP TABLE IF EXISTS ?", bun.Ident(table)).Exec(ctx); err != nil {
			return fmt.Errorf("drop %s: %w", table, err)
		}
		return nil
	})
}
