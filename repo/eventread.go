package repo

import (
	"context"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/event"
	"astrolabe/domain/facts"
)

// shownEvent are the columns of an event e as readers see it. Each value from
// another table is one probe of that table's key.
const shownEvent = `e.block, e.tx, e.log,
	(SELECT a.felt FROM addresses a WHERE a.chain = %[1]d AND a.id = e.address),
	(SELECT s.felt FROM selectors s WHERE s.chain = %[1]d AND s.id = e.selector),
	e.keys, e.payload,
	(SELECT t.hash FROM transactions t WHERE t.chain = %[1]d AND t.block = e.block AND t.tx = e.tx),
	(SELECT b.timestamp FROM blocks b WHERE b.chain = %[1]d AND b.block = e.block)`

// scanEvent reads the columns of shownEvent.
func scanEvent(f *fields) (event.Row, error) {
	r := event.Row{Block: uint64(f.int4()), Tx: f.int2(), Log: f.int2(), Address: f.felt()}
	selector, first := f.feltOrNil(), 0
	if selector != nil {
		first = 1
	}
	keys := f.int2()
	felts := f.felts(first)
	r.TxHash, r.Timestamp = f.felt(), uint64(f.int8())
	if f.bad || keys < first || keys > len(felts) || (first == 0) != (keys == 0) {
		return event.Row{}, damaged(facts.TableEvents, r.Block, "a value is malformed, or an id is in no dictionary")
	}
	if selector != nil {
		felts[0] = *selector
	}
	r.Keys, r.Data = felts[:keys:keys], felts[keys:]
	return r, nil
}

// EventsOfTransactions implements event.Store.
func (db *DB) EventsOfTransactions(ctx context.Context, c domain.Chain, places []chain.TxPlace, after, limit int) ([][]event.Row, error) {
	blocks, txs := make([]int32, len(places)), make([]int16, len(places))
	for i, place := range places {
		blocks[i], txs[i] = int32(place.Block), int16(place.Tx)
	}
	children, err := collect(ctx, db, childEvent, eventsOfTransactions(c, rowsFor(limit)), blocks, txs, int16(after))
	return ofParents(children, len(places)), err
}

// childEvent reads an event after the number of its parent.
func childEvent(row pgx.CollectableRow) (child[event.Row], error) {
	f, err := collectFields(row)
	if err != nil {
		return child[event.Row]{}, err
	}
	found := child[event.Row]{parent: int(f.int8())}
	found.row, err = scanEvent(&f)
	return found, err
}

// eventsOfTransactions reads each transaction's events by events_…_place, in
// its order.
func eventsOfTransactions(c domain.Chain, rows int) string {
	return written(`/* event.of_transactions */
		SELECT p.parent, `+shownEvent+`
		FROM unnest($1::int[], $2::smallint[]) WITH ORDINALITY AS p (block, tx, parent)
		CROSS JOIN LATERAL (
			SELECT block, tx, log, address, selector, keys, payload
			FROM events WHERE chain = %[1]d AND block = p.block AND tx = p.tx AND log > $3
			ORDER BY log LIMIT %[2]d
		) e
		ORDER BY p.parent, e.log`, chainCode(c), rows)
}

// EventsOfBlocks implements event.Store.
func (db *DB) EventsOfBlocks(ctx context.Context, c domain.Chain, blocks []domain.BlockRef, afterTx, afterLog, limit int) ([][]event.Row, error) {
	numbers, hashes := make([]int32, len(blocks)), make([][]byte, len(blocks))
	for i := range blocks {
		numbers[i], hashes[i] = int32(blocks[i].Number), blocks[i].Hash[:]
	}
	children, err := collect(ctx, db, childEvent, eventsOfBlocks(c, rowsFor(limit)), numbers, hashes, int16(afterTx), int16(afterLog))
	return ofParents(children, len(blocks)), err
}

// eventsOfBlocks reads each block's events by events_…_place, in its order, if
// the index holds the very block.
func eventsOfBlocks(c domain.Chain, rows int) string {
	return written(`/* event.of_blocks */
		SELECT p.parent, `+shownEvent+`
		FROM unnest($1::int[], $2::bytea[]) WITH ORDINALITY AS p (block, hash, parent)
		CROSS JOIN LATERAL (SELECT block FROM blocks WHERE chain = %[1]d AND block = p.block AND hash = p.hash LIMIT 1) b
		CROSS JOIN LATERAL (
			SELECT block, tx, log, address, selector, keys, payload
			FROM events WHERE chain = %[1]d AND block = b.block AND (tx, log) > ($3, $4)
			ORDER BY tx, log LIMIT %[2]d
		) e
		ORDER BY p.parent, e.tx, e.log`, chainCode(c), rows)
}

// Emitters implements event.Store.
func (db *DB) Emitters(ctx context.Context, c domain.Chain, emissions []event.Emission) ([]event.Emitter, error) {
	addresses, selectors, blocks := make([][]byte, len(emissions)), make([][]byte, len(emissions)), make([]int32, len(emissions))
	for i := range emissions {
		e := &emissions[i]
		addresses[i], selectors[i], blocks[i] = e.Address[:], e.Selector[:], int32(e.Block)
	}
	emitters := make([]event.Emitter, len(emissions))
	err := db.look(ctx, func(b *pgx.Batch) {
		b.Queue(written(classesInForce, chainCode(c)), addresses, blocks).Query(func(rows pgx.Rows) error {
			return eachClass(rows, func(n int, since facts.ClassSince) {
				emitters[n].Classes = append(emitters[n].Classes, since)
			})
		})
		b.Queue(written(uniqueNames, chainCode(c)), selectors).Query(func(rows pgx.Rows) error {
			var (
				n           int
				first, last string
			)
			_, err := pgx.ForEachRow(rows, []any{&n, &first, &last}, func() error {
				if first == last {
					emitters[n-1].UniqueName = first
				}
				return nil
			})
			return err
		})
	})
	return emitters, err
}

// eachClass visits the rows of classesInForce with the places of the contracts.
func eachClass(rows pgx.Rows, keep func(n int, since facts.ClassSince)) error {
	return visitRows(rows, func(f *fields) error {
		n := int(f.int8()) - 1
		since := facts.ClassSince{Block: uint64(f.int4()), Origin: oneOf(f, origins), Class: f.felt()}
		if f.bad {
			return damaged(facts.TableChanges, since.Block, "a value is malformed")
		}
		keep(n, since)
		return nil
	})
}

// classesInForce returns the newest classes of each contract up to a block, by
// the primary key of contract_classes. A block gives a contract three of them
// at most, and the one before is the fourth.
const classesInForce = `/* event.classes */
	SELECT p.n, h.block, h.origin, (SELECT hash FROM classes WHERE chain = %[1]d AND id = h.class)
	FROM unnest($1::bytea[], $2::int[]) WITH ORDINALITY AS p (address, block, n)
	CROSS JOIN LATERAL (
		SELECT block, origin, class FROM contract_classes
		WHERE chain = %[1]d AND address = (SELECT id FROM addresses WHERE chain = %[1]d AND felt = p.address) AND block <= p.block
		ORDER BY block DESC, origin DESC LIMIT 4
	) h
	ORDER BY p.n, h.block, h.origin`

// uniqueNames returns the first and the last name that classes have for a
// selector, by event_schemas_selector.
const uniqueNames = `/* event.names */
	SELECT p.n, first.name, last.name
	FROM unnest($1::bytea[]) WITH ORDINALITY AS p (selector, n)
	CROSS JOIN LATERAL (SELECT id FROM selectors WHERE chain = %[1]d AND felt = p.selector) s
	CROSS JOIN LATERAL (SELECT name FROM event_schemas WHERE chain = %[1]d AND selector = s.id ORDER BY name LIMIT 1) first
	CROSS JOIN LATERAL (SELECT name FROM event_schemas WHERE chain = %[1]d AND selector = s.id ORDER BY name DESC LIMIT 1) last`
