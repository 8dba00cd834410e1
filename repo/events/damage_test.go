package events_test

import (
	"errors"
	"testing"

	"astrolabe/domain"
	"astrolabe/domain/event"
	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/repo/events"
	"astrolabe/repo/repotest"
	"astrolabe/starknet"
)

// TestAnEventWhosePartsAreMissingIsDamage deletes, one by one, the rows that an
// event's row refers to.
func TestAnEventWhosePartsAreMissingIsDamage(t *testing.T) {
	t.Parallel()
	for name, sql := range map[string]string{
		"the address":     "DELETE FROM addresses WHERE chain = 1 AND id <> 1",
		"the selector":    "UPDATE events SET selector = 30000 WHERE chain = 1",
		"the transaction": "DELETE FROM transactions WHERE chain = 1",
		"the block":       "DELETE FROM blocks WHERE chain = 1",
		"a key":           "UPDATE events SET keys = 4 WHERE chain = 1",
		"all keys":        "UPDATE events SET keys = 0 WHERE chain = 1",
		"half a felt":     "UPDATE events SET payload = substr(payload, 1, 48) WHERE chain = 1",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := repotest.OpenTemplate(t, crowded)
			filter := event.Filter{Addresses: []starknet.Felt{starknet.FeltFromUint64(1)}}
			if name == "the address" {
				filter = event.Filter{Topics: [event.Positions][]starknet.Felt{{starknet.FeltFromUint64(1)}}}
			}
			span := event.Span{Before: event.Place{Block: 3000}}
			stored := events.NewEvents(db)
			if rows, err := stored.SearchEvents(t.Context(), domain.Mainnet, filter, span, 25); err != nil || len(rows) < 25 {
				t.Fatalf("got %d rows and %v, want 25", len(rows), err)
			}
			if _, err := db.Write().ExecContext(t.Context(), sql); err != nil {
				t.Fatal(err)
			}
			rows, err := stored.SearchEvents(t.Context(), domain.Mainnet, filter, span, 25)
			if name == "half a felt" { // the column's type rejects it
				if err == nil {
					t.Errorf("got %d events, want an error", len(rows))
				}
				return
			}
			requireDamage(t, err, facts.TableEvents)
		})
	}
}

func TestAnEmitterWhoseClassIsMissingIsDamage(t *testing.T) {
	t.Parallel()
	db := repotest.OpenTemplate(t, crowded)
	one := starknet.FeltFromUint64(1)
	emissions := []event.Emission{{Address: starknet.FeltFromUint64(999_999), Selector: one}, {Address: one, Selector: one, Block: 700}}
	stored := events.NewEvents(db)
	emitters, err := stored.Emitters(t.Context(), domain.Mainnet, emissions)
	if err != nil || len(emitters[0].Classes) != 0 || len(emitters[1].Classes) != 2 || emitters[1].Classes[0].Block != 0 || emitters[1].Classes[1].Block != 500 {
		t.Fatalf("got %+v and %v, want classes at blocks 0 and 500 of the second emitter", emitters, err)
	}
	if _, err := db.Write().ExecContext(t.Context(), "DELETE FROM classes WHERE chain = 1"); err != nil {
		t.Fatal(err)
	}
	_, err = stored.Emitters(t.Context(), domain.Mainnet, emissions)
	requireDamage(t, err, facts.TableChanges)
}

func requireDamage(t *testing.T, err error, table facts.Table) {
	t.Helper()
	damage, ok := errors.AsType[*indexing.DamageError](err)
	if !ok || damage.Table != table || damage.Block == nil {
		t.Errorf("got %v, want damage of %s", err, table)
	}
}
