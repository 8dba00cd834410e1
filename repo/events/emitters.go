package events

import (
	"context"
	"fmt"

	"astrolabe/domain"
	"astrolabe/domain/event"
	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/repo"
	"astrolabe/repo/model"
	"astrolabe/starknet"
)

// emittersOf returns a row for each class of each emission's contract, or one
// row without a class. It reads the newest classes up to the block, by the
// primary key of contract_classes: a contract gets at most three classes in a
// block, so four rows include the one before. Each row has the name on which
// all classes agree for the selector, by event_schemas_selector: the first name
// if it equals the last.
const emittersOf = `/* event.emitters */
	SELECT p.n, CASE WHEN first.name = last.name THEN first.name END AS unique_name,
		h.block, h.origin, (SELECT hash FROM classes WHERE chain = %[1]d AND id = h.class) AS class
	FROM unnest($1::bytea[], $2::bytea[], $3::int[]) WITH ORDINALITY AS p (address, selector, block, n)
	LEFT JOIN LATERAL (SELECT id FROM selectors WHERE chain = %[1]d AND felt = p.selector) s ON true
	LEFT JOIN LATERAL (SELECT name FROM event_schemas WHERE chain = %[1]d AND selector = s.id ORDER BY name LIMIT 1) first ON true
	LEFT JOIN LATERAL (SELECT name FROM event_schemas WHERE chain = %[1]d AND selector = s.id ORDER BY name DESC LIMIT 1) last ON true
	LEFT JOIN LATERAL (
		SELECT block, origin, class FROM contract_classes
		WHERE chain = %[1]d AND address = (SELECT id FROM addresses WHERE chain = %[1]d AND felt = p.address) AND block <= p.block
		ORDER BY block DESC, origin DESC LIMIT 4
	) h ON true
	ORDER BY p.n, h.block, h.origin`

// emitterRow is a row of emittersOf.
type emitterRow struct {
	N          int64              `bun:"n"` // the position of the emission, from 1
	UniqueName *string            `bun:"unique_name"`
	Block      *model.BlockNumber `bun:"block"`
	Origin     *model.Origin      `bun:"origin"`
	Class      *starknet.Felt     `bun:"class"`
}

// Emitters implements event.Store and bridge.EventStore.
func (r Events) Emitters(ctx context.Context, c domain.Chain, emissions []event.Emission) ([]event.Emitter, error) {
	addresses, selectors, blocks := make([][]byte, len(emissions)), make([][]byte, len(emissions)), make([]int32, len(emissions))
	for i := range emissions {
		e := &emissions[i]
		addresses[i], selectors[i], blocks[i] = e.Address[:], e.Selector[:], int32(e.Block)
	}
	rows, err := repo.Select[emitterRow](ctx, r.db.Read(), repo.Text(emittersOf, model.Code(c)), addresses, selectors, blocks)
	if err != nil {
		return nil, err
	}
	emitters := make([]event.Emitter, len(emissions))
	for i := range rows {
		row := &rows[i]
		if row.N < 1 || row.N > int64(len(emitters)) {
			return nil, fmt.Errorf("got a row of emission %d, want 1 to %d", row.N, len(emitters))
		}
		if err := row.describe(&emitters[row.N-1]); err != nil {
			return nil, err
		}
	}
	return emitters, nil
}

// describe adds the row to its emitter.
func (r *emitterRow) describe(e *event.Emitter) error {
	if r.UniqueName != nil {
		e.UniqueName = *r.UniqueName
	}
	if r.Block == nil { // the contract has no class yet
		return nil
	}
	if r.Origin == nil || r.Class == nil {
		return &indexing.DamageError{Table: facts.TableChanges, Block: r.Block.Uint64(), What: "a value is malformed"}
	}
	e.Classes = append(e.Classes, facts.ClassSince{Block: uint64(*r.Block), Origin: facts.Origin(*r.Origin), Class: *r.Class})
	return nil
}
