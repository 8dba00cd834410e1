package events

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"astrolabe/domain"
	"astrolabe/domain/bridge"
	"astrolabe/domain/chain"
	"astrolabe/domain/event"
	"astrolabe/domain/token"
	"astrolabe/repo"
	"astrolabe/repo/model"
	"astrolabe/starknet"
)

// Events reads the events of a chain and their emitters.
type Events struct{ db *repo.DB }

var (
	_ event.Store        = Events{}
	_ bridge.EventStore  = Events{}
	_ token.ControlStore = Events{}
)

// NewEvents returns the repository of events.
func NewEvents(db *repo.DB) Events { return Events{db} }

// EventsOfTransactions implements event.Store.
func (r Events) EventsOfTransactions(ctx context.Context, c domain.Chain, places []chain.TxPlace, after, limit int) ([][]event.Row, error) {
	blocks, txs := make([]int32, len(places)), make([]int16, len(places))
	for i, place := range places {
		blocks[i], txs[i] = int32(place.Block), int16(place.Tx)
	}
	return r.ofParents(ctx, len(places), ofTransactions(c, repo.RowsFor(limit)), blocks, txs, int16(after))
}

// ofParents runs a statement over several parents.
func (r Events) ofParents(ctx context.Context, parents int, sql string, arguments ...any) ([][]event.Row, error) {
	rows, err := repo.Select[row](ctx, r.db.Read(), sql, arguments...)
	if err != nil {
		return nil, err
	}
	return byParent(rows, parents)
}

// ofTransactions reads each transaction's events by events_…_place, in its
// order.
func ofTransactions(c domain.Chain, rows int) string {
	return repo.Text(`/* event.of_transactions */
		SELECT p.parent, `+columns+`
		FROM unnest($1::int[], $2::smallint[]) WITH ORDINALITY AS p (block, tx, parent)
		CROSS JOIN LATERAL (
			SELECT block, tx, log, address, selector, keys, payload
			FROM events WHERE chain = %[1]d AND block = p.block AND tx = p.tx AND log > $3
			ORDER BY log LIMIT %[2]d
		) e
		ORDER BY p.parent, e.log`, model.Code(c), rows)
}

// EventsOfBlocks implements event.Store.
func (r Events) EventsOfBlocks(ctx context.Context, c domain.Chain, blocks []domain.BlockRef, afterTx, afterLog, limit int) ([][]event.Row, error) {
	numbers, hashes := make([]int32, len(blocks)), make([][]byte, len(blocks))
	for i := range blocks {
		numbers[i], hashes[i] = int32(blocks[i].Number), blocks[i].Hash[:]
	}
	return r.ofParents(ctx, len(blocks), ofBlocks(c, repo.RowsFor(limit)), numbers, hashes, int16(afterTx), int16(afterLog))
}

// ofBlocks reads each block's events by events_…_place, in its order, if the
// index holds a block with that number and hash.
func ofBlocks(c domain.Chain, rows int) string {
	return repo.Text(`/* event.of_blocks */
		SELECT p.parent, `+columns+`
		FROM unnest($1::int[], $2::bytea[]) WITH ORDINALITY AS p (block, hash, parent)
		CROSS JOIN LATERAL (SELECT block FROM blocks WHERE chain = %[1]d AND block = p.block AND hash = p.hash LIMIT 1) b
		CROSS JOIN LATERAL (
			SELECT block, tx, log, address, selector, keys, payload
			FROM events WHERE chain = %[1]d AND block = b.block AND (tx, log) > ($3, $4)
			ORDER BY tx, log LIMIT %[2]d
		) e
		ORDER BY p.parent, e.tx, e.log`, model.Code(c), rows)
}

// EventsOfContracts implements event.Store.
func (r Events) EventsOfContracts(ctx context.Context, c domain.Chain, contracts, selectors []starknet.Felt, span event.Span, limit int) ([][]event.Row, error) {
	arguments := searchArguments(event.Filter{}, span, spanArguments)
	arguments[0], arguments[1] = model.Bytes(contracts), model.Bytes(selectors)
	return r.ofParents(ctx, len(contracts), ofContracts(c, len(selectors) > 0, limit), arguments...)
}

// contractEvents selects the first events that satisfy %[2]s within the span of
// the arguments $3 to $8, by an index on the columns of the condition, then the
// position.
const contractEvents = `
		SELECT block, tx, log, address, selector, keys, payload FROM events
		WHERE chain = %[1]d AND %[2]s AND ` + within + `
		ORDER BY ` + newestFirst + ` LIMIT %[3]d`

// ofContracts uses events_…_address for each contract or, with selectors,
// events_…_address_selector for each pair. The first rows of the pairs are
// sorted together: at most a page per selector.
func ofContracts(c domain.Chain, withSelectors bool, limit int) string {
	code, rows := model.Code(c), repo.RowsFor(limit)
	name, found := "of_contracts", fmt.Sprintf(contractEvents, code, "$2::bytea[] IS NOT NULL AND address = a.id", rows)
	if withSelectors {
		name = "of_contracts_by_selector"
		found = fmt.Sprintf(`
		SELECT e.* FROM unnest($2::bytea[]) AS k (felt)
		CROSS JOIN LATERAL (SELECT id FROM selectors WHERE chain = %[1]d AND felt = k.felt LIMIT 1) s
		CROSS JOIN LATERAL (%[2]s) e
		ORDER BY `+newestFirst+` LIMIT %[3]d`, code, fmt.Sprintf(contractEvents, code, "address = a.id AND selector = s.id", rows), rows)
	}
	return fmt.Sprintf(`/* event.%[3]s */
		SELECT p.parent, `+columns+`
		FROM unnest($1::bytea[]) WITH ORDINALITY AS p (felt, parent)
		CROSS JOIN LATERAL (SELECT id FROM addresses WHERE chain = %[1]d AND felt = p.felt LIMIT 1) a
		CROSS JOIN LATERAL (%[2]s) e
		ORDER BY p.parent, e.block DESC, e.tx DESC, e.log DESC`, code, found, name)
}

// EventsBySelector implements bridge.EventStore and token.ControlStore. It
// returns as many events of each selector as the page needs, so a list can be
// longer than the page.
func (r Events) EventsBySelector(ctx context.Context, c domain.Chain, contracts, selectors []starknet.Felt, page domain.PageRequest) ([][]event.Row, error) {
	if len(contracts) == 0 {
		return nil, nil
	}
	block, tx, log := startingAfter(page.After)
	lists, err := r.ofParents(ctx, len(contracts), bySelectors(c, page.Limit), model.Bytes(contracts), model.Bytes(selectors), block, tx, log)
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

// bySelectors uses events_…_address_selector once for each contract and
// selector.
func bySelectors(c domain.Chain, limit int) string {
	return repo.Text(`/* event.by_selector */
		SELECT p.parent, `+columns+`
		FROM unnest($1::bytea[]) WITH ORDINALITY AS p (felt, parent)
		CROSS JOIN LATERAL (SELECT id FROM addresses WHERE chain = %[1]d AND felt = p.felt LIMIT 1) a
		CROSS JOIN unnest($2::bytea[]) AS k (felt)
		CROSS JOIN LATERAL (SELECT id FROM selectors WHERE chain = %[1]d AND felt = k.felt LIMIT 1) s
		CROSS JOIN LATERAL (
			SELECT block, tx, log, address, selector, keys, payload FROM events
			WHERE chain = %[1]d AND address = a.id AND selector = s.id AND block <= $3 AND (block, tx, log) < ($3, $4, $5)
			ORDER BY block DESC, tx DESC, log DESC LIMIT %[2]d
		) e`, model.Code(c), repo.RowsFor(limit))
}

// startingAfter returns the position that a page begins after, as arguments.
// The first page begins before all events.
func startingAfter(after domain.Position) (block int32, tx, log int16) {
	if len(after) != 3 {
		return math.MaxInt32, math.MaxInt16, math.MaxInt16
	}
	return int32(after[0]), int16(after[1]), int16(after[2])
}
