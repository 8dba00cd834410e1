package events

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/uptrace/bun"

	"astrolabe/domain"
	"astrolabe/repo"
	"astrolabe/repo/model"
	"astrolabe/starknet"
)

// ExtendCertificate covers the next finalized blocks with about most events of
// the selector. It reports whether there are more. It skips a certificate that
// has failed or that another process is working on.
func (r Certificates) ExtendCertificate(ctx context.Context, c domain.Chain, id int64, most int) (more bool, err error) {
	err = r.db.Write().RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		e, err := claimExtension(ctx, tx, c, id)
		if err != nil || e == nil {
			return err
		}
		last := e.To
		if err := e.shorten(ctx, tx, c, most); err != nil {
			return err
		}
		more = e.To < last
		return e.write(ctx, tx, c)
	})
	return more, repo.WriteFailure(err)
}

// extent is a certificate's key position and a range of blocks, both ends
// included.
type extent struct {
	ID       int64         `bun:"id"`
	Selector starknet.Felt `bun:"selector"`
	Position int64         `bun:"position"`
	From     int64         `bun:"from_block"`
	To       int64         `bun:"to_block"`
}

// claimExtension returns all blocks that a certificate could cover next, nil if
// there are none. It locks the checkpoint's row FOR KEY SHARE: the indexer can
// still move the checkpoint, but an undo, which first locks the row FOR UPDATE,
// waits until this transaction ends.
func claimExtension(ctx context.Context, tx bun.Tx, c domain.Chain, id int64) (*extent, error) {
	var source struct {
		First int64  `bun:"first_block"`
		Last  *int64 `bun:"last_block"`
	}
	err := tx.NewRaw(`/* certificate.source */
		SELECT c.first_block, least(c.finalized_block, (SELECT min(from_block) - 1 FROM index_ranges WHERE chain = ?0 AND state <> 'ready')) AS last_block
		FROM index_checkpoints c WHERE c.chain = ?0 FOR KEY SHARE`, model.Code(c)).Scan(ctx, &source)
	if errors.Is(err, sql.ErrNoRows) || err == nil && source.Last == nil {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var e extent
	err = tx.NewRaw(`/* certificate.lock */
		SELECT id, selector, position, coalesce(through_block + 1, ?1) AS from_block, ?2::integer AS to_block FROM event_certificates
		WHERE id = ?0 AND status <> 'failed' FOR UPDATE SKIP LOCKED`, id, source.First, *source.Last).Scan(ctx, &e)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if e.From > e.To {
		_, err := tx.NewRaw(`/* certificate.maintain */
			UPDATE event_certificates SET maintained_at = now()
			WHERE id = ? AND (maintained_at > now() - interval '1 minute') IS NOT TRUE`, id).Exec(ctx)
		return nil, err
	}
	return &e, nil
}

// shorten limits an extension to about most events of the selector, but to at
// least one block. It uses events_…_selector.
func (e *extent) shorten(ctx context.Context, tx bun.Tx, c domain.Chain, most int) error {
	var beyond int64
	err := tx.NewRaw(`/* certificate.step */
		SELECT block FROM events WHERE chain = ?0 AND selector = (SELECT id FROM selectors WHERE chain = ?0 AND felt = ?1)
			AND block BETWEEN ?2 AND ?3
		ORDER BY block, tx, log OFFSET ?4 LIMIT 1`, model.Code(c), e.Selector, e.From, e.To, most).Scan(ctx, &beyond)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	e.To = max(e.From, beyond-1)
	return nil
}

// write adds the rows of an extension, compares what was stored with the events,
// and moves the certificate: through_block and verified_at move together, so that
// it never claims blocks that were not compared.
func (e *extent) write(ctx context.Context, tx bun.Tx, c domain.Chain) error {
	var added struct {
		Differences int64 `bun:"differences"`
		Rows        int64 `bun:"rows"`
	}
	err := tx.NewRaw(`/* certificate.extend */
		WITH added AS (INSERT INTO ?2 (value, block, tx, log) ?1 RETURNING value, block, tx, log),
			wanted AS (SELECT ?0 FROM (?1) e GROUP BY stretch), held AS (SELECT ?0 FROM added GROUP BY stretch)
		SELECT count(*) FILTER (WHERE (wanted.rows, wanted.digest) IS DISTINCT FROM (held.rows, held.digest)) AS differences,
			coalesce(sum(held.rows), 0)::bigint AS rows
		FROM wanted FULL JOIN held ON held.stretch = wanted.stretch`,
		bun.Safe(countedByStretch), e.keys(tx, c), bun.Ident(positions(e.ID))).Scan(ctx, &added)
	if err != nil {
		return err
	}
	if added.Differences > 0 {
		return fmt.Errorf("certificate %d: the rows stored for blocks %d to %d differ from the events", e.ID, e.From, e.To)
	}
	_, err = tx.NewRaw(`/* certificate.move */
		UPDATE event_certificates
		SET from_block = coalesce(from_block, ?1), through_block = ?2, rows = rows + ?3, verified_at = now(), maintained_at = now()
		WHERE id = ?0`, e.ID, e.From, e.To, added.Rows).Exec(ctx)
	return err
}

// keys selects the keys of the selector's events at the position, by
// events_…_selector.
func (e *extent) keys(tx bun.Tx, c domain.Chain) *bun.RawQuery {
	return tx.NewRaw(`SELECT substr(payload, 32 * (?4 - 1) + 1, 32) AS value, block, tx, log
		FROM events WHERE chain = ?0 AND selector = (SELECT id FROM selectors WHERE chain = ?0 AND felt = ?1)
			AND block BETWEEN ?2 AND ?3 AND keys > ?4`, model.Code(c), e.Selector, e.From, e.To, e.Position)
}
