package repo

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
)

// ExtendCertificate covers the next finalized blocks with about so many
// events of the selector. It reports whether there are more. A failed
// certificate, and one that another process is at, is left alone.
func (db *DB) ExtendCertificate(ctx context.Context, c domain.Chain, id int64, most int) (more bool, err error) {
	err = pgx.BeginFunc(ctx, db.pool, func(tx pgx.Tx) error {
		e, err := claimExtension(ctx, tx, c, id)
		if err != nil || e == nil {
			return err
		}
		last := e.to
		if err := e.shorten(ctx, tx, c, most); err != nil {
			return err
		}
		more = e.to < last
		return e.write(ctx, tx, c)
	})
	return more, outage(storage(err))
}

// extension is the blocks that a certificate is to cover next, both included.
type extension struct {
	id       int64
	selector []byte
	position int
	from, to int32
}

// claimExtension returns all blocks that a certificate could cover next, nil
// when there are none. Its transaction keeps blocks from being undone
// meanwhile, and not the index from going on: whoever undoes blocks takes the
// checkpoint's row for itself, and takes it first, too.
func claimExtension(ctx context.Context, tx pgx.Tx, c domain.Chain, id int64) (*extension, error) {
	var (
		first int32
		last  *int32
		e     = extension{id: id}
	)
	err := tx.QueryRow(ctx, fmt.Sprintf(`/* certificate.source */
		SELECT c.first_block, least(c.finalized_block, (SELECT min(from_block) - 1 FROM index_ranges WHERE chain = %[1]d AND state <> 'ready'))
		FROM index_checkpoints c WHERE c.chain = %[1]d FOR KEY SHARE`, chainCode(c))).Scan(&first, &last)
	if err == nil && last != nil {
		err = tx.QueryRow(ctx, `/* certificate.lock */
			SELECT selector, position, coalesce(through_block + 1, $2) FROM event_certificates
			WHERE id = $1 AND status <> 'failed' FOR UPDATE SKIP LOCKED`, id, first).Scan(&e.selector, &e.position, &e.from)
	}
	if errors.Is(err, pgx.ErrNoRows) || err == nil && last == nil {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if e.to = *last; e.from > e.to {
		_, err := tx.Exec(ctx, `/* certificate.maintain */
			UPDATE event_certificates SET maintained_at = now()
			WHERE id = $1 AND (maintained_at > now() - interval '1 minute') IS NOT TRUE`, id)
		return nil, err
	}
	return &e, nil
}

// shorten ends an extension before it holds more events of the selector than
// so many, but not before its first block. It follows events_…_selector.
func (e *extension) shorten(ctx context.Context, tx pgx.Tx, c domain.Chain, most int) error {
	var beyond int32
	err := tx.QueryRow(ctx, fmt.Sprintf(`/* certificate.step */
		SELECT block FROM events WHERE chain = %[1]d AND selector = (SELECT id FROM selectors WHERE chain = %[1]d AND felt = $1)
			AND block BETWEEN $2 AND $3
		ORDER BY block, tx, log OFFSET $4 LIMIT 1`, chainCode(c)), e.selector, e.from, e.to, most).Scan(&beyond)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	e.to = max(e.from, beyond-1)
	return err
}

// write adds the rows of an extension and moves the certificate.
func (e *extension) write(ctx context.Context, tx pgx.Tx, c domain.Chain) error {
	tag, err := tx.Exec(ctx, fmt.Sprintf(`/* certificate.extend */
		INSERT INTO %s (value, block, tx, log) %s`, positions(e.id), keysAt(c)), e.selector, e.from, e.to, e.position)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `/* certificate.move */
		UPDATE event_certificates SET from_block = coalesce(from_block, $2), through_block = $3, rows = rows + $4, maintained_at = now()
		WHERE id = $1`, e.id, e.from, e.to, tag.RowsAffected())
	return err
}

// keysAt selects the keys of a selector's ($1) events at a position ($4) from
// one block ($2) to another ($3), both included, by events_…_selector.
func keysAt(c domain.Chain) string {
	return fmt.Sprintf(`SELECT substr(payload, 32 * ($4::integer - 1) + 1, 32) AS value, block, tx, log
		FROM events WHERE chain = %[1]d AND selector = (SELECT id FROM selectors WHERE chain = %[1]d AND felt = $1)
			AND block BETWEEN $2 AND $3 AND keys > $4::integer`, chainCode(c))
}
