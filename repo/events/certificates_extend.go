package events

import (
	"context"
	"database/sql"
	"errors"

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

// write adds the rows of an extension and moves the certificate.
func (e *extent) write(ctx context.Context, tx bun.Tx, c domain.Chain) error {
	result, err := tx.NewRaw("/* certificate.extend */ INSERT INTO ? (value, block, tx, log) ?", bun.Ident(positions(e.ID)), e.keys(tx, c)).Exec(ctx)
	if err != nil {
		return err
	}
	added, err := result.RowsAffected()
	if err != nil {
		return err
	}
	_, err = tx.NewRaw(`/* certificate.move */
		UPDATE event_certificates SET from_block = coalesce(from_block, ?1), through_block = ?2, rows = rows + ?3, maintained_at = now()
		WHERE id = ?0`, e.ID, e.From, e.To, added).Exec(ctx)
	return err
}

// keys selects the keys of the selector's events at the position, by
// events_…_selector.
func (e *extent) keys(tx bun.Tx, c domain.Chain) *bun.RawQuery {
	return tx.NewRaw(`SELECT substr(payload, 32 * (?4 - 1) + 1, 32) AS value, block, tx, log
		FROM events WHERE chain = ?0 AND selector = (SELECT id FROM selectors WHERE chain = ?0 AND felt = ?1)
			AND block BETWEEN ?2 AND ?3 AND keys > ?4`, model.Code(c), e.Selector, e.From, e.To, e.Position)
}
