package repo

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
	"astrolabe/domain/event"
	"astrolabe/starknet"
)

// EventsBySelector implements bridge.Store. It returns as many of each selector
// as the page needs, so that a list can be longer than that.
func (db *DB) EventsBySelector(ctx context.Context, c domain.Chain, contracts, selectors []starknet.Felt, page domain.PageRequest) ([][]event.Row, error) {
	lists := make([][]event.Row, len(contracts))
	if len(contracts) == 0 {
		return lists, nil
	}
	block, tx, log := eventPosition(page.After)
	_, err := collect(ctx, db, func(row pgx.CollectableRow) (struct{}, error) {
		f, err := collectFields(row)
		if err != nil {
			return struct{}{}, err
		}
		parent := f.int8() - 1
		found, err := scanEvent(&f)
		if err == nil {
			lists[parent] = append(lists[parent], found)
		}
		return struct{}{}, err
	}, eventsBySelectorStatement(c, page.Limit), feltBytes(contracts), feltBytes(selectors), block, tx, log)
	if err != nil {
		return nil, err
	}
	for _, list := range lists {
		slices.SortFunc(list, func(a, b event.Row) int {
			return -cmp.Or(cmp.Compare(a.Block, b.Block), cmp.Compare(a.Tx, b.Tx), cmp.Compare(a.Log, b.Log))
		})
	}
	return lists, nil
}

// eventsBySelectorStatement goes along events' address_selector once for each
// contract and selector.
func eventsBySelectorStatement(c domain.Chain, limit int) string {
	return fmt.Sprintf(`/* event.by_selector */
		SELECT p.parent, `+shownEvent+`
		FROM unnest($1::bytea[]) WITH ORDINALITY AS p (felt, parent)
		CROSS JOIN LATERAL (SELECT id FROM addresses WHERE chain = %[1]d AND felt = p.felt LIMIT 1) a
		CROSS JOIN unnest($2::bytea[]) AS k (felt)
		CROSS JOIN LATERAL (SELECT id FROM selectors WHERE chain = %[1]d AND felt = k.felt LIMIT 1) s
		CROSS JOIN LATERAL (
			SELECT block, tx, log, address, selector, keys, payload FROM events
			WHERE chain = %[1]d AND address = a.id AND selector = s.id AND block <= $3 AND (block, tx, log) < ($3, $4, $5)
			ORDER BY block DESC, tx DESC, log DESC LIMIT %[2]d
		) e`, chainCode(c), rowsFor(limit))
}

// eventPosition returns the arguments of a position; none is before all events.
func eventPosition(after domain.Position) (block int32, tx, log int16) {
	if len(after) != 3 {
		return math.MaxInt32, math.MaxInt16, math.MaxInt16
	}
	return int32(after[0]), int16(after[1]), int16(after[2])
}
