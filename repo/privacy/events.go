package privacy

import (
	"context"
	"math"

	"github.com/uptrace/bun"

	"astrolabe/domain"
	"astrolabe/domain/event"
	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/domain/privacy"
	"astrolabe/domain/token"
	"astrolabe/repo"
	"astrolabe/repo/model"
	"astrolabe/starknet"
)

// Events reads the events of pools.
type Events struct{ db *repo.DB }

var _ privacy.EventStore = Events{}

// NewEvents returns the repository of the events of pools.
func NewEvents(db *repo.DB) Events { return Events{db} }

// firstUnseen is the first block that readers must not see yet. The rows of
// pools are not partitioned, so that nothing else hides them.
const firstUnseen = `(SELECT coalesce(min(from_block), 2147483647) FROM index_ranges WHERE chain = %[1]d AND state <> 'ready')`

// eventRow is a row of eventsOf.
type eventRow struct {
	Block     model.BlockNumber `bun:"block"`
	Tx        model.Index       `bun:"tx"`
	Log       model.Index       `bun:"log"`
	Variant   model.PoolVariant `bun:"variant"`
	Reading   model.PoolReading `bun:"reading"`
	Pool      *starknet.Felt    `bun:"pool"`
	Party     *starknet.Felt    `bun:"party"`
	Token     *starknet.Felt    `bun:"token"`
	Amount    *starknet.Uint256 `bun:"amount"`
	Note      *starknet.Felt    `bun:"note"`
	Name      *string           `bun:"name"`
	Symbol    *string           `bun:"symbol"`
	Decimals  *model.Decimals   `bun:"decimals"`
	Selector  *starknet.Felt    `bun:"selector"` // nil without keys
	Keys      *model.Index      `bun:"keys"`     // nil without the event
	Payload   model.Felts       `bun:"payload"`
	TxHash    *starknet.Felt    `bun:"tx_hash"`
	Timestamp *int64            `bun:"timestamp"`
}

// eventsOf adds to the rows p of a list the event itself by events_…_place, and
// each value of another table by its key.
const eventsOf = `
	SELECT p.block, p.tx, p.log, p.variant, p.reading, p.amount, p.note,
		(SELECT felt FROM addresses WHERE chain = %[1]d AND id = p.pool) AS pool,
		(SELECT felt FROM addresses WHERE chain = %[1]d AND id = p.party) AS party,
		(SELECT felt FROM addresses WHERE chain = %[1]d AND id = p.token) AS token,
		m.name, m.symbol, m.decimals,
		(SELECT felt FROM selectors WHERE chain = %[1]d AND id = e.selector) AS selector, e.keys, e.payload,
		(SELECT hash FROM transactions WHERE chain = %[1]d AND block = p.block AND tx = p.tx) AS tx_hash,
		(SELECT timestamp FROM blocks WHERE chain = %[1]d AND block = p.block) AS timestamp
	FROM (
		SELECT block, tx, log, variant, reading, pool, party, token, amount, note FROM privacy_events
		WHERE chain = %[1]d AND (block, tx, log) < ($1, $2, $3) AND block < ` + firstUnseen

// newestEvents closes the list of eventsOf.
const newestEvents = `
		ORDER BY block DESC, tx DESC, log DESC LIMIT %[2]d
	) p
	LEFT JOIN LATERAL (
		SELECT selector, keys, payload FROM events WHERE chain = %[1]d AND block = p.block AND tx = p.tx AND log = p.log LIMIT 1
	) e ON true
	LEFT JOIN LATERAL (
		SELECT name, symbol, decimals FROM tokens WHERE chain = %[1]d AND address = p.token LIMIT 1
	) m ON true
	ORDER BY p.block DESC, p.tx DESC, p.log DESC`

const (
	// allEvents uses the primary key of privacy_events.
	allEvents = `/* privacy.events */` + eventsOf + newestEvents
	// variantEvents uses privacy_events_variant.
	variantEvents = `/* privacy.events_by_variant */` + eventsOf + ` AND variant = $4` + newestEvents
)

// PoolEvents implements privacy.EventStore.
func (r Events) PoolEvents(ctx context.Context, c domain.Chain, variant *facts.PoolVariant, page domain.PageRequest) (events []privacy.Event, evidence privacy.FeeEvidence, err error) {
	statement, arguments := allEvents, startingAfter(page.After)
	if variant != nil {
		statement, arguments = variantEvents, append(arguments, model.PoolVariant(*variant))
	}
	err = r.db.Read().RunInTx(ctx, repo.Snapshot, func(ctx context.Context, tx bun.Tx) error {
		rows, err := repo.Select[eventRow](ctx, tx, repo.Text(statement, model.Code(c), repo.RowsFor(page.Limit)), arguments...)
		if err != nil {
			return err
		}
		events = make([]privacy.Event, len(rows))
		for i := range rows {
			if events[i], err = rows[i].event(); err != nil {
				return err
			}
		}
		evidence, err = feeEvidence(ctx, tx, c, events)
		return err
	})
	return events, evidence, repo.Failure(ctx, err)
}

// startingAfter returns the position that a page begins after, as arguments.
// The first page begins before all events.
func startingAfter(after domain.Position) []any {
	if len(after) != 3 {
		return []any{int32(math.MaxInt32), int16(math.MaxInt16), int16(math.MaxInt16)}
	}
	return []any{int32(after[0]), int16(after[1]), int16(after[2])}
}

// event returns the event of a row. A row is damaged if its event does not exist
// or lacks a value.
func (r *eventRow) event() (privacy.Event, error) {
	if r.Keys == nil || r.Pool == nil || r.TxHash == nil || r.Timestamp == nil {
		return privacy.Event{}, damage(r.Block)
	}
	keys, data, ok := model.SplitPayload(r.Selector, *r.Keys, r.Payload)
	if !ok {
		return privacy.Event{}, damage(r.Block)
	}
	e := privacy.Event{
		Row: event.Row{
			Block: uint64(r.Block), Timestamp: uint64(*r.Timestamp), Tx: int(r.Tx), Log: int(r.Log),
			TxHash: *r.TxHash, Address: *r.Pool, Keys: keys, Data: data,
		},
		Variant: facts.PoolVariant(r.Variant), Reading: facts.PoolReading(r.Reading), Party: r.Party, Amount: r.Amount, Note: r.Note,
	}
	if r.Token != nil {
		e.Token = &privacy.Token{Address: *r.Token, Metadata: token.Metadata{Name: r.Name, Symbol: r.Symbol, Decimals: (*uint8)(r.Decimals)}}
	}
	return e, nil
}

// damage reports a row whose event, block or ids do not exist.
func damage(block model.BlockNumber) error {
	return &indexing.DamageError{Table: "privacy_events", Block: new(uint64(block)), What: "its event is missing or malformed, or an id is in no dictionary"}
}
