package repo

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"astrolabe/domain"
	"astrolabe/domain/event"
)

// VerifyCertificate counts a certificate again from the events and records
// what came out: it is ready when its rows are exactly those that its blocks
// give, else it has failed. Nothing is recorded of one that covers nothing
// yet, that has failed before or that another process is at.
func (db *DB) VerifyCertificate(ctx context.Context, c domain.Chain, id int64) (event.CertificateStatus, error) {
	found, err := db.recount(ctx, c, id)
	if gone, ok := errors.AsType[*pgconn.PgError](err); ok && gone.Code == undefinedTable {
		found, err = &recounted{differences: 1, digest: "0"}, nil // its rows are gone altogether
	}
	if err != nil || found == nil {
		return "", outage(storage(err))
	}
	status := event.Failed
	if found.differences == 0 {
		status = event.Ready
	}
	_, err = db.pool.Exec(ctx, `/* certificate.judge */
		UPDATE event_certificates SET status = $2, digest = $3::numeric, verified_at = CASE WHEN $2 = 'ready' THEN now() ELSE verified_at END
		WHERE id = $1 AND status <> 'failed'`, id, string(status), found.digest)
	return status, outage(err)
}

// IndexCertificate lets a certificate's rows be found by their keys. They are
// loaded without the index and get it before they are read first.
func (db *DB) IndexCertificate(ctx context.Context, id int64) error {
	err := pgx.BeginFunc(ctx, db.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `/* certificate.alone */ SELECT pg_advisory_xact_lock($1, $2)`, certificateLock, lockID(id)); err != nil {
			return err
		}
		return run(ctx, tx, "/* certificate.index */ CREATE INDEX IF NOT EXISTS %[1]s_value ON %[1]s (value, block, tx, log)", positions(id))
	})
	if err == nil { // reads can do with the index alone
		_, err = db.pool.Exec(ctx, "/* certificate.analyze */ VACUUM (ANALYZE) "+positions(id))
	}
	return outage(storage(err))
}

// certificateLock is the class of the advisory locks of those who index or
// count a certificate.
const certificateLock = 8207

func lockID(certificate int64) int32 { return int32(certificate % (1 << 31)) }

// recounted is what a certificate's rows are beside the events.
type recounted struct {
	differences int // stretches of blocks whose rows are not those of the events
	digest      string
}

// recount compares a certificate with the events in one moment, stretch by
// stretch: how many rows there are and the sum of their hashes. It is nil when
// there is nothing to compare.
func (db *DB) recount(ctx context.Context, c domain.Chain, id int64) (found *recounted, err error) {
	err = pgx.BeginTxFunc(ctx, db.pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		var (
			selector []byte
			place    int
			from, to int32
			mine     bool
		)
		err := tx.QueryRow(ctx, `/* certificate.read */
			SELECT selector, position, from_block, through_block, pg_try_advisory_xact_lock($2, $3)
			FROM event_certificates WHERE id = $1 AND status <> 'failed' AND through_block IS NOT NULL`,
			id, certificateLock, lockID(id)).Scan(&selector, &place, &from, &to, &mine)
		if errors.Is(err, pgx.ErrNoRows) || err == nil && !mine {
			return nil
		}
		if err != nil {
			return err
		}
		const counted = `block / 10000 AS stretch, count(*) AS rows, sum(hashtextextended(encode(value, 'hex') || ':' || block || ':' || tx || ':' || log, 0)) AS digest`
		found = new(recounted)
		return tx.QueryRow(ctx, fmt.Sprintf(`/* certificate.recount */
			WITH wanted AS (SELECT %[1]s FROM (%[2]s) e GROUP BY stretch), held AS (SELECT %[1]s FROM %[3]s GROUP BY stretch)
			SELECT count(*) FILTER (WHERE (wanted.rows, wanted.digest) IS DISTINCT FROM (held.rows, held.digest)), coalesce(sum(held.digest), 0)::text
			FROM wanted FULL JOIN held ON held.stretch = wanted.stretch`, counted, keysAt(c), positions(id)),
			selector, from, to, place).Scan(&found.differences, &found.digest)
	})
	return found, err
}
