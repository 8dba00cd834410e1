package events

import (
	"context"
	"fmt"
	"strings"

	"astrolabe/domain"
	"astrolabe/domain/event"
	"astrolabe/repo"
	"astrolabe/repo/model"
	"astrolabe/starknet"
)

// anchor is the index condition of a search: first keys ($1), contracts ($2),
// or each pair of them. Each value selects one contiguous part of an index, in
// the order of the chain.
type anchor struct {
	name   string
	values string // selects the ids
	match  string // compares an event e with them
}

var (
	bySelector = anchor{"selector", // events_…_selector
		`SELECT s.id AS selector FROM selectors s WHERE s.chain = %[1]d AND s.felt = ANY($1) AND $2::bytea[] IS NULL`,
		`e.selector = v.selector`}
	byAddress = anchor{"address", // events_…_address
		`SELECT a.id AS address FROM addresses a WHERE a.chain = %[1]d AND a.felt = ANY($2) AND $1::bytea[] IS NULL`,
		`e.address = v.address`}
	byPair = anchor{"pair", // events_…_address_selector
		`SELECT s.id AS selector, a.id AS address FROM selectors s, addresses a
			WHERE s.chain = %[1]d AND s.felt = ANY($1) AND a.chain = %[1]d AND a.felt = ANY($2)`,
		`e.address = v.address AND e.selector = v.selector`}
)

func anchorOf(f event.Filter) anchor {
	switch {
	case len(f.Addresses) == 0:
		return bySelector
	case len(f.Topics[0]) == 0:
		return byAddress
	}
	return byPair
}

// newestFirst is the order of every search.
const newestFirst = `block DESC, tx DESC, log DESC`

// within restricts rows of an index to a span, $3 to $8. The bounds on block
// alone let the planner skip partitions.
const within = `block >= $3 AND block <= $6 AND (block, tx, log) >= ($3, $4::smallint, $5::smallint) AND (block, tx, log) < ($6, $7::smallint, $8::smallint)`

// matching compares the keys of an event e with the filter's, $9 to $23. The
// keys after the first are the first felts of the payload.
var matching = func() string {
	var text strings.Builder
	for position := 1; position < event.Positions; position++ {
		fmt.Fprintf(&text, " AND ($%[1]d::bytea[] IS NULL OR e.keys > %[2]d AND substr(e.payload, %[3]d, 32) = ANY($%[1]d))",
			8+position, position, 32*(position-1)+1)
	}
	return text.String()
}()

// searchArguments returns the arguments $1 to $23 of a search. Most statements
// use only the first of them.
func searchArguments(f event.Filter, span event.Span, most int) []any {
	arguments := []any{
		feltsOrNull(f.Topics[0]), feltsOrNull(f.Addresses),
		int32(span.From.Block), int16(span.From.Tx), int16(span.From.Log),
		int32(span.Before.Block), int16(span.Before.Tx), int16(span.Before.Log),
	}
	for _, keys := range f.Topics[1:] {
		arguments = append(arguments, feltsOrNull(keys))
	}
	return arguments[:most]
}

// The numbers of arguments of the statements.
const (
	spanArguments = 8
	allArguments  = 8 + event.Positions - 1
)

func feltsOrNull(felts []starknet.Felt) [][]byte {
	if len(felts) == 0 {
		return nil
	}
	return model.Bytes(felts)
}

// newestOfAnchors finds the newest events of all values. A page of n events has
// events of at most n values, namely those whose newest events are the newest.
// However many values there are, each of the others costs one lookup.
const newestOfAnchors = `/* event.by_%[3]s */
	SELECT ` + columns + `
	FROM (
		SELECT e.* FROM (
			SELECT v.* FROM (%[4]s) v
			CROSS JOIN LATERAL (
				SELECT e.block, e.tx, e.log FROM events e WHERE e.chain = %[1]d AND %[5]s AND ` + within + `
				ORDER BY ` + newestFirst + ` LIMIT 1
			) newest
			ORDER BY ` + newestFirst + ` LIMIT %[2]d
		) v
		CROSS JOIN LATERAL (
			SELECT e.block, e.tx, e.log, e.address, e.selector, e.keys, e.payload
			FROM events e WHERE e.chain = %[1]d AND %[5]s AND ` + within + `
			ORDER BY ` + newestFirst + ` LIMIT %[2]d
		) e
		ORDER BY ` + newestFirst + ` LIMIT %[2]d
	) e
	ORDER BY ` + newestFirst

// The newest events of a single value, for which there is nothing to choose,
// and those that match further keys, whose span is short: see lastOfAnchors.
const (
	newestOfOne    = `/* event.by_one_%[3]s */` + newestOfEach + newestOfEachInOrder
	newestWithKeys = `/* event.by_%[3]s_keys */` + newestOfEach + `%[6]s` + newestOfEachInOrder

	newestOfEach = `
	SELECT ` + columns + `
	FROM (
		SELECT e.* FROM (%[4]s) v
		CROSS JOIN LATERAL (
			SELECT e.block, e.tx, e.log, e.address, e.selector, e.keys, e.payload
			FROM events e WHERE e.chain = %[1]d AND %[5]s AND ` + within
	newestOfEachInOrder = `
			ORDER BY ` + newestFirst + ` LIMIT %[2]d
		) e
		ORDER BY ` + newestFirst + ` LIMIT %[2]d
	) e
	ORDER BY ` + newestFirst
)

// lastOfAnchors returns the position of the $9-th newest event of each value, the
// newest of these.
const lastOfAnchors = `/* event.last_by_%[3]s */
	SELECT e.block, e.tx, e.log FROM (%[4]s) v
	CROSS JOIN LATERAL (
		SELECT e.block, e.tx, e.log FROM events e WHERE e.chain = %[1]d AND %[5]s AND ` + within + `
		ORDER BY ` + newestFirst + ` OFFSET $9 - 1 LIMIT 1
	) e
	ORDER BY ` + newestFirst + ` LIMIT 1`

// statement formats a template for an anchor and a row limit.
func (a anchor) statement(template string, c domain.Chain, rows int) string {
	code := model.Code(c)
	return fmt.Sprintf(template, code, rows, a.name, fmt.Sprintf(a.values, code), a.match, matching)
}

// newestOf returns the statement that finds the newest events of a filter, and
// the number of its arguments.
func newestOf(f event.Filter) (template string, arguments int) {
	switch {
	case hasKeys(f):
		return newestWithKeys, allArguments
	case len(f.Topics[0]) <= 1 && len(f.Addresses) <= 1:
		return newestOfOne, spanArguments
	default:
		return newestOfAnchors, spanArguments
	}
}

// SearchEvents implements event.Store.
func (r Events) SearchEvents(ctx context.Context, c domain.Chain, f event.Filter, span event.Span, limit int) ([]event.Row, error) {
	template, arguments := newestOf(f)
	return r.list(ctx, anchorOf(f).statement(template, c, repo.RowsFor(limit)), searchArguments(f, span, arguments)...)
}

// EventsFrom implements event.Store. It reads the same indexes forwards.
func (r Events) EventsFrom(ctx context.Context, c domain.Chain, f event.Filter, span event.Span, limit int) ([]event.Row, error) {
	template, arguments := newestOf(f)
	return r.list(ctx, oldestFirst(anchorOf(f), template, c, repo.RowsFor(limit)), searchArguments(f, span, arguments)...)
}

// list runs a statement that finds one list of events.
func (r Events) list(ctx context.Context, sql string, arguments ...any) ([]event.Row, error) {
	rows, err := repo.Select[row](ctx, r.db.Read(), sql, arguments...)
	if err != nil {
		return nil, err
	}
	return list(rows)
}

// oldestFirst formats a template with the order reversed.
func oldestFirst(a anchor, template string, c domain.Chain, rows int) string {
	a.name += "_from"
	return strings.ReplaceAll(a.statement(template, c, rows), newestFirst, "block, tx, log")
}

func hasKeys(f event.Filter) bool {
	for _, keys := range f.Topics[1:] {
		if len(keys) > 0 {
			return true
		}
	}
	return false
}

// LastCandidate implements event.Store. The row limit is divided among the
// values, with a minimum of 64 for each.
func (r Events) LastCandidate(ctx context.Context, c domain.Chain, f event.Filter, span event.Span, most int) (*event.Place, error) {
	values := max(1, len(f.Topics[0])) * max(1, len(f.Addresses))
	arguments := append(searchArguments(f, span, spanArguments), rowsPerValue(most, values))
	places, err := repo.Select[place](ctx, r.db.Read(), anchorOf(f).statement(lastOfAnchors, c, 0), arguments...)
	return only(places), err
}

// rowsPerValue divides a row limit among values.
func rowsPerValue(most, values int) int { return max(64, most/values) }
