package events

import (
	"context"
	"database/sql"
	"errors"

	"github.com/uptrace/bun"

	"astrolabe/domain"
	"astrolabe/domain/event"
	"astrolabe/repo"
)

// VerifyCertificate compares a certificate with the events and records the
// result: ready if its rows are exactly those of its blocks, failed otherwise.
// It records nothing for a certificate that covers nothing yet, has failed
// before or is used by another process.
func (r Certificates) VerifyCertificate(ctx context.Context, c domain.Chain, id int64) (event.CertificateStatus, error) {
	found, err := r.recount(ctx, c, id)
	if repo.SQLState(err) == undefinedTable {
		found, err = &recounted{Differences: 1, Digest: "0"}, nil // its table does not exist
	}
	if err != nil || found == nil {
		return "", repo.WriteFailure(err)
	}
	status := event.Failed
	if found.Differences == 0 {
		status = event.Ready
	}
	_, err = r.db.Write().NewRaw(`/* certificate.judge */
		UPDATE event_certificates SET status = ?1, digest = ?2::numeric, verified_at = CASE WHEN ?1 = 'ready' THEN now() ELSE verified_at END
		WHERE id = ?0 AND status <> 'failed'`, id, string(status), found.Digest).Exec(ctx)
	return status, repo.Failure(ctx, err)
}

// recounted is the result of comparing a certificate with the events.
type recounted struct {
	Differences int64  `bun:"differences"` // stretches of blocks with other rows than the events
	Digest      string `bun:"digest"`
}

// recount compares a certificate with the events on one snapshot, by stretches
// of blocks: the number of rows and the sum of their hashes. It returns nil if
// there is nothing to compare.
func (r Certificates) recount(ctx context.Context, c domain.Chain, id int64) (found *recounted, err error) {
	err = r.db.Write().RunInTx(ctx, repo.Snapshot, func(ctx context.Context, tx bun.Tx) error {
		var claimed struct {
			extent
			Mine bool `bun:"mine"`
		}
		err := tx.NewRaw(`/* certificate.read */
			SELECT id, selector, position, from_block, through_block AS to_block, pg_try_advisory_xact_lock(?1, ?2) AS mine
			FROM event_certificates WHERE id = ?0 AND status <> 'failed' AND through_block IS NOT NULL`,
			id, certificateLock, lockID(id)).Scan(ctx, &claimed)
		if errors.Is(err, sql.ErrNoRows) || err == nil && !claimed.Mine {
			return nil
		}
		if err != nil {
			return err
		}
		found = new(recounted)
		return tx.NewRaw(`/* certificate.recount */
			WITH wanted AS (SELECT ?0 FROM (?1) e GROUP BY stretch), held AS (SELECT ?0 FROM ?2 GROUP BY stretch)
			SELECT count(*) FILTER (WHERE (wanted.rows, wanted.digest) IS DISTINCT FROM (held.rows, held.digest)) AS differences,
				coalesce(sum(held.digest), 0)::text AS digest
			FROM wanted FULL JOIN held ON held.stretch = wanted.stretch`,
			bun.Safe(countedByStretch), claimed.keys(tx, c), bun.Ident(positions(id))).Scan(ctx, found)
	})
	return found, err
}

// countedByStretch are the columns that recount compares.
const countedByStretch = `block / 10000 AS stretch, count(*) AS rows,
	sum(hashtextextended(encode(value, 'hex') || ':' || block || ':' || tx || ':' || log, 0)) AS digest`
