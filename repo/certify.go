package repo

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
	"astrolabe/domain/event"
)

// DeclareCertificates makes the certificates of a chain those of the given
// positions: new ones begin with nothing, and others are discarded.
func (db *DB) DeclareCertificates(ctx context.Context, c domain.Chain, declared []event.SelectorPosition) error {
	selectors, places := make([][]byte, len(declared)), make([]int16, len(declared))
	for i := range declared {
		selectors[i], places[i] = declared[i].Selector[:], int16(declared[i].Position)
	}
	return outage(pgx.BeginFunc(ctx, db.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, fmt.Sprintf(`/* certificate.undeclare */
			DELETE FROM event_certificates WHERE chain = %d
				AND (selector, position) NOT IN (SELECT s, p FROM unnest($1::bytea[], $2::smallint[]) AS d (s, p))`, chainCode(c)),
			pgx.QueryExecModeCacheStatement, selectors, places); err != nil {
			return err
		}
		rows, err := tx.Query(ctx, fmt.Sprintf(`/* certificate.declare */
			INSERT INTO event_certificates (chain, selector, position)
			SELECT %[1]d, s, p FROM unnest($1::bytea[], $2::smallint[]) AS d (s, p)
			WHERE NOT EXISTS (SELECT FROM event_certificates WHERE chain = %[1]d AND selector = s AND position = p)
			ON CONFLICT DO NOTHING RETURNING id`, chainCode(c)),
			pgx.QueryExecModeCacheStatement, selectors, places)
		if err != nil {
			return err
		}
		added, err := pgx.CollectRows(rows, pgx.RowTo[int64])
		if err != nil {
			return err
		}
		for _, id := range added {
			if err := run(ctx, tx, `/* certificate.table */
				CREATE TABLE %s (value bytea NOT NULL, block integer NOT NULL, tx smallint NOT NULL, log smallint NOT NULL)`, positions(id)); err != nil {
				return err
			}
		}
		return nil
	}))
}

// DiscardCertificate forgets a certificate, so that it is built anew if it is
// still declared. It reports false when there is none.
func (db *DB) DiscardCertificate(ctx context.Context, c domain.Chain, at event.SelectorPosition) (bool, error) {
	tag, err := db.pool.Exec(ctx, `/* certificate.discard */
		DELETE FROM event_certificates WHERE chain = $1 AND selector = $2 AND position = $3`,
		chainCode(c), at.Selector[:], at.Position)
	return tag.RowsAffected() > 0, outage(err)
}

// SweepCertificates drops the rows of discarded certificates.
func (db *DB) SweepCertificates(ctx context.Context) error {
	rows, err := db.pool.Query(ctx, `/* certificate.orphans */
		SELECT t.relname FROM pg_class t
		WHERE t.relkind = 'r' AND t.relname ~ '^event_positions_[0-9]+$' AND pg_table_is_visible(t.oid)
			AND NOT EXISTS (SELECT FROM event_certificates c WHERE t.relname = 'event_positions_' || c.id)`)
	if err != nil {
		return outage(err)
	}
	orphans, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return outage(err)
	}
	for _, table := range orphans {
		// A reader may still be at it: what cannot be had soon is left to the next run.
		err := pgx.BeginFunc(ctx, db.pool, func(tx pgx.Tx) error {
			if err := run(ctx, tx, "/* certificate.patience */ SET LOCAL lock_timeout = '2s'"); err != nil {
				return err
			}
			return run(ctx, tx, "/* certificate.drop */ DROP TABLE IF EXISTS %s", table)
		})
		if err != nil {
			return outage(err)
		}
	}
	return nil
}
