package events

import (
	"astrolabe/domain/event"
	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/repo"
	"astrolabe/repo/model"
	"astrolabe/starknet"
)

// columns are the columns of an event e as readers see it. Each value of
// another table is one lookup by key.
const columns = `e.block, e.tx, e.log,
	(SELECT a.felt FROM addresses a WHERE a.chain = %[1]d AND a.id = e.address) AS address,
	(SELECT s.felt FROM selectors s WHERE s.chain = %[1]d AND s.id = e.selector) AS selector,
	e.keys, e.payload,
	(SELECT t.hash FROM transactions t WHERE t.chain = %[1]d AND t.block = e.block AND t.tx = e.tx) AS tx_hash,
	(SELECT b.timestamp FROM blocks b WHERE b.chain = %[1]d AND b.block = e.block) AS timestamp`

// row is a row of columns.
type row struct {
	Parent    int64             `bun:"parent"` // in statements over several parents, from 1
	Block     model.BlockNumber `bun:"block"`
	Tx        model.Index       `bun:"tx"`
	Log       model.Index       `bun:"log"`
	Address   *starknet.Felt    `bun:"address"`
	Selector  *starknet.Felt    `bun:"selector"` // nil without keys
	Keys      model.Index       `bun:"keys"`
	Payload   model.Felts       `bun:"payload"`
	TxHash    *starknet.Felt    `bun:"tx_hash"`
	Timestamp *int64            `bun:"timestamp"`
}

// event returns the event of a row. A row is damaged if its ids, transaction or
// block do not exist or if it has fewer keys than it counts.
func (r *row) event() (event.Row, error) {
	keys, data, ok := model.SplitPayload(r.Selector, r.Keys, r.Payload)
	if !ok || r.Address == nil || r.TxHash == nil || r.Timestamp == nil {
		return event.Row{}, &indexing.DamageError{
			Table: facts.TableEvents, Block: new(uint64(r.Block)), What: "a value is malformed, or an id is in no dictionary",
		}
	}
	return event.Row{
		Block: uint64(r.Block), Timestamp: uint64(*r.Timestamp), Tx: int(r.Tx), Log: int(r.Log),
		TxHash: *r.TxHash, Address: *r.Address, Keys: keys, Data: data,
	}, nil
}

// list converts rows to events.
func list(rows []row) ([]event.Row, error) {
	events := make([]event.Row, len(rows))
	for i := range rows {
		var err error
		if events[i], err = rows[i].event(); err != nil {
			return nil, err
		}
	}
	return events, nil
}

// byParent converts rows to the events of each parent.
func byParent(rows []row, parents int) ([][]event.Row, error) {
	return repo.ByParent(rows, parents, func(r *row) (int64, event.Row, error) {
		found, err := r.event()
		return r.Parent, found, err
	})
}

// place is the position of an event, for statements that return only positions.
type place struct {
	Block model.BlockNumber `bun:"block"`
	Tx    model.Index       `bun:"tx"`
	Log   model.Index       `bun:"log"`
}

// only returns the only position of a result, or nil.
func only(places []place) *event.Place {
	if len(places) == 0 {
		return nil
	}
	p := places[0]
	return &event.Place{Block: uint64(p.Block), Tx: int(p.Tx), Log: int(p.Log)}
}
