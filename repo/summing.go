package repo

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
	"astrolabe/domain/token"
	"astrolabe/failpoint"
)

// SumTransfers adds the next finalized transfers that readers can see to the
// sums of their tokens, about as many as given and whole blocks, in one
// transaction. Whoever comes while another adds finds nothing to do.
func (db *DB) SumTransfers(ctx context.Context, c domain.Chain, about int) (token.Summing, error) {
	var done token.Summing
	err := pgx.BeginFunc(ctx, db.pool, func(tx pgx.Tx) error {
		through, target, err := summable(ctx, tx, c)
		if err != nil || target == nil || through != nil && *through >= *target {
			return err
		}
		if through == nil {
			if through, err = clearSums(ctx, tx, c); err != nil {
				return err
			}
		}
		to, err := summingEnd(ctx, tx, c, *through, *target, about)
		if err != nil {
			return err
		}
		if err := run(ctx, tx, addToSums, chainCode(c), *through, to); err != nil {
			return err
		}
		failpoint.Hit(failpoint.SumsAdded)
		_, err = tx.Exec(ctx, `/* summary.checkpoint */
			UPDATE token_summary_checkpoints SET block = $2, updated_at = now() WHERE chain = $1`, chainCode(c), to)
		failpoint.Hit(failpoint.SumsCheckpoint)
		done = token.Summing{Through: uint64(to), More: to < *target, Advanced: true}
		return err
	})
	return done, outage(err)
}

// summable returns up to where there are sums and up to where there could be;
// nil stands for nowhere. It holds the sums until the transaction ends; when
// another holds them, there is nothing to sum.
func summable(ctx context.Context, tx pgx.Tx, c domain.Chain) (through, target *int64, err error) {
	err = tx.QueryRow(ctx, `/* summary.lock */
		SELECT block FROM token_summary_checkpoints WHERE chain = $1 FOR UPDATE SKIP LOCKED`, chainCode(c)).Scan(&through)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	// A statement of its own: it sees what was undone before the sums were held.
	err = tx.QueryRow(ctx, `/* summary.target */
		SELECT CASE WHEN least(c.finalized_block, seen.last) >= c.first_block THEN least(c.finalized_block, seen.last) END
		FROM index_checkpoints c CROSS JOIN LATERAL (
			SELECT coalesce(min(from_block) - 1, c.block) AS last FROM index_ranges WHERE chain = c.chain AND state <> 'ready'
		) seen WHERE c.chain = $1 AND c.finalized_block IS NOT NULL`, chainCode(c)).Scan(&target)
	if errors.Is(err, pgx.ErrNoRows) {
		return through, nil, nil
	}
	return through, target, err
}

// clearSums removes sums that no longer count and returns the block before the
// first one.
func clearSums(ctx context.Context, tx pgx.Tx, c domain.Chain) (*int64, error) {
	for _, table := range []string{"token_parties", "token_summaries"} {
		if err := run(ctx, tx, "/* summary.clear */ DELETE FROM %s WHERE chain = %d", table, chainCode(c)); err != nil {
			return nil, err
		}
	}
	var first int64
	err := tx.QueryRow(ctx, `/* summary.first */ SELECT first_block FROM index_checkpoints WHERE chain = $1`, chainCode(c)).Scan(&first)
	return new(first - 1), err
}

// summingEnd is the block up to which about so many transfers are added. It
// follows transfers_place.
func summingEnd(ctx context.Context, tx pgx.Tx, c domain.Chain, through, target int64, about int) (to int64, err error) {
	err = tx.QueryRow(ctx, fmt.Sprintf(`/* summary.end */
		SELECT coalesce((
			SELECT block FROM transfers WHERE chain = %d AND block > $1 AND block <= $2
			ORDER BY block, tx, log, idx LIMIT 1 OFFSET $3), $2)`, chainCode(c)), through, target, about).Scan(&to)
	return to, err
}

// addToSums adds the transfers of the blocks above %[2]d up to %[3]d. Whoever
// takes part is looked up by the primary key of token_parties, each once, as
// it was before this statement.
const addToSums = `/* summary.add */
	WITH moved AS MATERIALIZED (
		SELECT token, sender, receiver FROM transfers WHERE chain = %[1]d AND block > %[2]d AND block <= %[3]d
	), seen AS (
		SELECT token, address, bool_or(sent) AS sent, bool_or(NOT sent) AS received FROM (
			SELECT token, sender AS address, true AS sent FROM moved UNION ALL SELECT token, receiver, false FROM moved
		) m GROUP BY token, address
	), news AS MATERIALIZED (
		SELECT s.token, s.address, s.sent OR coalesce(k.sent, false) AS sent, s.received OR coalesce(k.received, false) AS received,
			s.sent AND NOT coalesce(k.sent, false) AS sender, s.received AND NOT coalesce(k.received, false) AS receiver
		FROM seen s LEFT JOIN LATERAL (
			SELECT sent, received FROM token_parties WHERE chain = %[1]d AND token = s.token AND address = s.address LIMIT 1
		) k ON true
		WHERE k.sent IS NULL OR s.sent > k.sent OR s.received > k.received
	), kept AS (
		INSERT INTO token_parties (chain, token, address, sent, received)
		SELECT %[1]d, token, address, sent, received FROM news
		ON CONFLICT (chain, token, address) DO UPDATE SET sent = excluded.sent, received = excluded.received
	)
	INSERT INTO token_summaries AS known (chain, token, transfers, senders, receivers)
	SELECT %[1]d, t.token, t.transfers, coalesce(n.senders, 0), coalesce(n.receivers, 0)
	FROM (SELECT token, count(*) AS transfers FROM moved GROUP BY token) t
	LEFT JOIN (
		SELECT token, count(*) FILTER (WHERE sender) AS senders, count(*) FILTER (WHERE receiver) AS receivers FROM news GROUP BY token
	) n ON n.token = t.token
	ON CONFLICT (chain, token) DO UPDATE SET transfers = known.transfers + excluded.transfers,
		senders = known.senders + excluded.senders, receivers = known.receivers + excluded.receivers`

// unsum takes the sums back that rest on blocks above last, which are about to
// change: they are made anew. It waits for whoever is adding to them, and
// whoever adds next sees what the transaction did.
func unsum(ctx context.Context, tx pgx.Tx, c domain.Chain, last int64) error {
	return run(ctx, tx, `/* summary.undo */
		UPDATE token_summary_checkpoints SET block = CASE WHEN block <= %d THEN block END WHERE chain = %d`, last, chainCode(c))
}
