package events

import (
	"context"
	"fmt"

	"github.com/uptrace/bun"

	"astrolabe/domain"
	"astrolabe/domain/event"
	"astrolabe/repo"
	"astrolabe/repo/model"
	"astrolabe/starknet"
)

// Certificates stores the certificates of event keys, and searches events by
// them.
type Certificates struct{ db *repo.DB }

var _ event.CertificateStore = Certificates{}

// NewCertificates returns the repository of certificates.
func NewCertificates(db *repo.DB) Certificates { return Certificates{db} }

// Certificates implements event.CertificateStore.
func (r Certificates) Certificates(ctx context.Context, c domain.Chain) ([]event.Certificate, error) {
	var rows []struct {
		model.Certificate `bun:",extend"`
		Maintained        bool `bun:"maintained"`
	}
	err := r.db.Read().NewSelect().Model(&rows).Comment("certificate.list").
		Column("id", "selector", "position", "status", "from_block", "through_block", "verified_at").
		ColumnExpr("coalesce(maintained_at > now() - interval '5 minutes', false) AS maintained").
		Where("chain = ?", model.Code(c)).Order("selector", "position").Scan(ctx)
	if err != nil {
		return nil, repo.Failure(ctx, err)
	}
	list := make([]event.Certificate, len(rows))
	for i := range rows {
		row := &rows[i]
		list[i] = event.Certificate{
			ID: row.ID, SelectorPosition: event.SelectorPosition{Selector: row.Selector, Position: int(row.Position)},
			Through: row.ThroughBlock.Uint64(), Status: event.CertificateStatus(row.Status),
			VerifiedAt: row.VerifiedAt, Maintained: row.Maintained,
		}
		if row.FromBlock != nil {
			list[i].From = uint64(*row.FromBlock)
		}
	}
	return list, nil
}

// positions returns the name of the table with a certificate's rows.
func positions(certificate int64) string { return fmt.Sprintf("event_positions_%d", certificate) }

// newestCovered finds the newest events that have one of the keys ($1) at a
// certificate's position. It works like newestOfAnchors.
const newestCovered = `/* event.covered */
	SELECT ` + columns + `
	FROM (
		SELECT p.block, p.tx, p.log FROM (
			SELECT v.value FROM unnest($1::bytea[]) v (value)
			CROSS JOIN LATERAL (
				SELECT block, tx, log FROM %[3]s WHERE value = v.value AND $2::bytea[] IS NULL AND ` + within + `
				ORDER BY ` + newestFirst + ` LIMIT 1
			) newest
			ORDER BY ` + newestFirst + ` LIMIT %[2]d
		) v
		CROSS JOIN LATERAL (
			SELECT block, tx, log FROM %[3]s WHERE value = v.value AND ` + within + `
			ORDER BY ` + newestFirst + ` LIMIT %[2]d
		) p
		ORDER BY ` + newestFirst + ` LIMIT %[2]d
	) p
	CROSS JOIN LATERAL (` + eventAt + `) e
	ORDER BY ` + newestFirst

// newestCoveredWithKeys is newestCovered for filters with further keys or a
// contract ($2). Its span is short: see lastCovered.
const newestCoveredWithKeys = `/* event.covered_keys */
	SELECT ` + columns + `
	FROM (
		SELECT e.* FROM unnest($1::bytea[]) v (value)
		CROSS JOIN LATERAL (
			SELECT e.* FROM (SELECT block, tx, log FROM %[3]s WHERE value = v.value AND ` + within + ` ORDER BY ` + newestFirst + `) p
			CROSS JOIN LATERAL (` + eventAt + `) e
			WHERE ($2::bytea[] IS NULL OR e.address = ANY(ARRAY(SELECT id FROM addresses WHERE chain = %[1]d AND felt = ANY($2))))%[4]s
			ORDER BY ` + newestFirst + ` LIMIT %[2]d
		) e
		ORDER BY ` + newestFirst + ` LIMIT %[2]d
	) e
	ORDER BY ` + newestFirst

// eventAt joins the event at position p, by events_…_place.
const eventAt = `
	SELECT e.block, e.tx, e.log, e.address, e.selector, e.keys, e.payload
	FROM events e WHERE e.chain = %[1]d AND e.block = p.block AND e.tx = p.tx AND e.log = p.log`

// lastCovered returns the position of the $9-th newest event of each key, the
// newest of these.
const lastCovered = `/* event.last_covered */
	SELECT p.block, p.tx, p.log FROM unnest($1::bytea[]) v (value)
	CROSS JOIN LATERAL (
		SELECT block, tx, log FROM %[3]s WHERE value = v.value AND $2::bytea[] IS NULL AND ` + within + `
		ORDER BY ` + newestFirst + ` OFFSET $9 - 1 LIMIT 1
	) p
	ORDER BY ` + newestFirst + ` LIMIT 1`

// countCovered counts the events of all keys, up to $9.
const countCovered = `/* event.count_covered */
	SELECT count(*) AS count FROM (
		SELECT FROM unnest($1::bytea[]) v (value)
		CROSS JOIN LATERAL (
			SELECT FROM %[3]s WHERE value = v.value AND $2::bytea[] IS NULL AND ` + within + ` LIMIT $9
		) p
		LIMIT $9
	) p`

// covers selects whether a certificate covers a span.
const covers = `/* certificate.covers */
	SELECT EXISTS (SELECT FROM event_certificates
		WHERE id = $1 AND status = 'ready' AND from_block <= $2 AND through_block >= $3) AS covers`

// SearchCovered implements event.CertificateStore.
func (r Certificates) SearchCovered(ctx context.Context, c domain.Chain, cert event.Certificate, f event.Filter, span event.Span, limit int) ([]event.Row, error) {
	keys := f
	keys.Topics[0], keys.Topics[cert.Position] = f.Topics[cert.Position], nil // $1 holds the keys of the certificate
	template, arguments := newestCovered, spanArguments
	if hasKeys(keys) || len(f.Addresses) > 0 {
		template, arguments = newestCoveredWithKeys, allArguments
	}
	sql := fmt.Sprintf(template, model.Code(c), repo.RowsFor(limit), positions(cert.ID), matching)
	rows, err := selectCovered[row](ctx, r.db, cert, span, sql, searchArguments(keys, span, arguments))
	if err != nil {
		return nil, err
	}
	return list(rows)
}

// LastCovered implements event.CertificateStore.
func (r Certificates) LastCovered(ctx context.Context, c domain.Chain, cert event.Certificate, keys []starknet.Felt, span event.Span, most int) (*event.Place, error) {
	sql := fmt.Sprintf(lastCovered, model.Code(c), 0, positions(cert.ID))
	places, err := selectCovered[place](ctx, r.db, cert, span, sql, keyArguments(keys, span, rowsPerValue(most, len(keys))))
	return only(places), err
}

// CountCovered implements event.CertificateStore.
func (r Certificates) CountCovered(ctx context.Context, c domain.Chain, cert event.Certificate, keys []starknet.Felt, span event.Span, most int) (int, error) {
	sql := fmt.Sprintf(countCovered, model.Code(c), 0, positions(cert.ID))
	counts, err := selectCovered[int](ctx, r.db, cert, span, sql, keyArguments(keys, span, most))
	if err != nil || len(counts) == 0 {
		return 0, err
	}
	return counts[0], nil
}

func keyArguments(keys []starknet.Felt, span event.Span, most int) []any {
	f := event.Filter{}
	f.Topics[0] = keys
	return append(searchArguments(f, span, spanArguments), most)
}

// undefinedTable is the SQLSTATE of a statement whose table was dropped.
const undefinedTable = "42P01"

// selectCovered runs a statement over a certificate's rows and checks on the
// same snapshot that the certificate covers the span; otherwise it returns
// event.ErrCoverageLost. An empty span has no rows.
func selectCovered[T any](ctx context.Context, db *repo.DB, cert event.Certificate, span event.Span, sql string, arguments []any) (rows []T, err error) {
	if span.Before.Compare(span.From) <= 0 {
		return nil, nil
	}
	last := span.Before.Block
	if span.Before.Tx == 0 && span.Before.Log == 0 {
		last--
	}
	err = db.Read().RunInTx(ctx, repo.Snapshot, func(ctx context.Context, tx bun.Tx) error {
		ready, err := repo.Select[bool](ctx, tx, covers, cert.ID, int32(span.From.Block), int32(last))
		if err != nil {
			return err
		}
		if !ready[0] {
			return event.ErrCoverageLost
		}
		rows, err = repo.Select[T](ctx, tx, sql, arguments...)
		return err
	})
	if repo.SQLState(err) == undefinedTable {
		return nil, event.ErrCoverageLost
	}
	return rows, repo.Failure(ctx, err)
}
