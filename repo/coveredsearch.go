package repo

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"astrolabe/domain"
	"astrolabe/domain/event"
	"astrolabe/starknet"
)

// positions names the table of a certificate's rows.
func positions(certificate int64) string { return fmt.Sprintf("event_positions_%d", certificate) }

// newestCovered finds the newest events that have one of the keys ($1) at a
// certificate's position, in the same way as newestOfAnchors.
const newestCovered = `/* event.covered */
	SELECT ` + shownEvent + `
	FROM (
		SELECT p.block, p.tx, p.log FROM (
			SELECT v.value FROM unnest($1::bytea[]) v (value)
			CROSS JOIN LATERAL (
				SELECT block, tx, log FROM %[3]s WHERE value = v.value AND $2::bytea[] IS NULL AND ` + within + `
				ORDER BY ` + newestEventFirst + ` LIMIT 1
			) newest
			ORDER BY ` + newestEventFirst + ` LIMIT %[2]d
		) v
		CROSS JOIN LATERAL (
			SELECT block, tx, log FROM %[3]s WHERE value = v.value AND ` + within + `
			ORDER BY ` + newestEventFirst + ` LIMIT %[2]d
		) p
		ORDER BY ` + newestEventFirst + ` LIMIT %[2]d
	) p
	CROSS JOIN LATERAL (` + eventAt + `) e
	ORDER BY ` + newestEventFirst

// newestCoveredWithKeys does so where other keys or the contract ($2) must
// match, too. Their span is short: see lastCovered.
const newestCoveredWithKeys = `/* event.covered_keys */
	SELECT ` + shownEvent + `
	FROM (
		SELECT e.* FROM unnest($1::bytea[]) v (value)
		CROSS JOIN LATERAL (
			SELECT e.* FROM (SELECT block, tx, log FROM %[3]s WHERE value = v.value AND ` + within + ` ORDER BY ` + newestEventFirst + `) p
			CROSS JOIN LATERAL (` + eventAt + `) e
			WHERE ($2::bytea[] IS NULL OR e.address = ANY(ARRAY(SELECT id FROM addresses WHERE chain = %[1]d AND felt = ANY($2))))%[4]s
			ORDER BY ` + newestEventFirst + ` LIMIT %[2]d
		) e
		ORDER BY ` + newestEventFirst + ` LIMIT %[2]d
	) e
	ORDER BY ` + newestEventFirst

// eventAt is the event at the place p, by events_…_place.
const eventAt = `
	SELECT e.block, e.tx, e.log, e.address, e.selector, e.keys, e.payload
	FROM events e WHERE e.chain = %[1]d AND e.block = p.block AND e.tx = p.tx AND e.log = p.log`

// lastCovered finds how far the newest so many ($9) events of each key reach.
const lastCovered = `/* event.last_covered */
	SELECT p.block, p.tx, p.log FROM unnest($1::bytea[]) v (value)
	CROSS JOIN LATERAL (
		SELECT block, tx, log FROM %[3]s WHERE value = v.value AND $2::bytea[] IS NULL AND ` + within + `
		ORDER BY ` + newestEventFirst + ` OFFSET $9 - 1 LIMIT 1
	) p
	ORDER BY ` + newestEventFirst + ` LIMIT 1`

// countCovered counts the events of all keys, at most so many ($9).
const countCovered = `/* event.count_covered */
	SELECT count(*) FROM (
		SELECT FROM unnest($1::bytea[]) v (value)
		CROSS JOIN LATERAL (
			SELECT FROM %[3]s WHERE value = v.value AND $2::bytea[] IS NULL AND ` + within + ` LIMIT $9
		) p
		LIMIT $9
	) p`

// covered says in the same moment whether a certificate covers a span.
const covered = `/* certificate.covers */
	SELECT EXISTS (SELECT FROM event_certificates
		WHERE id = $1 AND status = 'ready' AND from_block <= $2 AND through_block >= $3)`

// SearchCovered implements event.Store.
func (db *DB) SearchCovered(ctx context.Context, c domain.Chain, cert event.Certificate, f event.Filter, span event.Span, limit int) (found []event.Row, err error) {
	keys := f
	keys.Topics[0], keys.Topics[cert.Position] = f.Topics[cert.Position], nil // $1 holds what leads to the events
	template, arguments := newestCovered, spanArguments
	if hasKeys(keys) || len(f.Addresses) > 0 {
		template, arguments = newestCoveredWithKeys, allArguments
	}
	sql := fmt.Sprintf(template, chainCode(c), rowsFor(limit), positions(cert.ID), matching)
	err = db.lookCovered(ctx, cert, span, sql, eventArguments(keys, span, arguments), func(rows pgx.Rows) error {
		found, err = pgx.CollectRows(rows, collectEvent)
		return err
	})
	return found, err
}

// LastCovered implements event.Store.
func (db *DB) LastCovered(ctx context.Context, c domain.Chain, cert event.Certificate, keys []starknet.Felt, span event.Span, most int) (last *event.Place, err error) {
	sql := fmt.Sprintf(lastCovered, chainCode(c), 0, positions(cert.ID))
	err = db.lookCovered(ctx, cert, span, sql, keyArguments(keys, span, depth(most, len(keys))), func(rows pgx.Rows) error {
		var p event.Place
		_, err := pgx.ForEachRow(rows, []any{&p.Block, &p.Tx, &p.Log}, func() error {
			last = &p
			return nil
		})
		return err
	})
	return last, err
}

// CountCovered implements event.Store.
func (db *DB) CountCovered(ctx context.Context, c domain.Chain, cert event.Certificate, keys []starknet.Felt, span event.Span, most int) (count int, err error) {
	sql := fmt.Sprintf(countCovered, chainCode(c), 0, positions(cert.ID))
	err = db.lookCovered(ctx, cert, span, sql, keyArguments(keys, span, most), func(rows pgx.Rows) error {
		count, err = pgx.CollectExactlyOneRow(rows, pgx.RowTo[int])
		return err
	})
	return count, err
}

func keyArguments(keys []starknet.Felt, span event.Span, most int) []any {
	f := event.Filter{}
	f.Topics[0] = keys
	return append(eventArguments(f, span, spanArguments), most)
}

// undefinedTable is the state of a statement whose table was dropped.
const undefinedTable = "42P01"

// lookCovered runs a statement over a certificate's rows while the certificate
// covers the span; otherwise it is event.ErrCoverageLost.
func (db *DB) lookCovered(ctx context.Context, cert event.Certificate, span event.Span, sql string, arguments []any, read func(pgx.Rows) error) error {
	if span.Before.Compare(span.From) <= 0 {
		return nil
	}
	last := span.Before.Block
	if span.Before.Tx == 0 && span.Before.Log == 0 {
		last--
	}
	ready := false
	err := db.look(ctx, func(b *pgx.Batch) {
		b.Queue(covered, cert.ID, int32(span.From.Block), int32(last)).QueryRow(func(row pgx.Row) error { return row.Scan(&ready) })
		b.Queue(sql, arguments...).Query(read)
	})
	if gone, ok := errors.AsType[*pgconn.PgError](err); ok && gone.Code == undefinedTable || err == nil && !ready {
		return event.ErrCoverageLost
	}
	return err
}
