package index

import (
	"errors"
	"testing"

	"astrolabe/domain/chain"
	"astrolabe/domain/indexing"
	"astrolabe/sim"
)

func TestFullOrReadOnlyDatabaseHaltsTheIndexButNotReads(t *testing.T) {
	t.Parallel()
	for state, c := range map[string]struct {
		cause  error
		reason string
	}{
		"53100": {indexing.ErrStorageFull, "storage_full"},
		"25006": {indexing.ErrStorageReadOnly, "storage_read_only"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, sim.Config{Blocks: 5})
			leader := w.leader(w.loop("a"))
			w.catchUp(leader)
			stood := *leader.at.Block
			w.execute(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
				$$ BEGIN RAISE 'refused for a test' USING ERRCODE = '` + state + `'; END $$`)
			w.execute("CREATE TRIGGER refuse BEFORE INSERT ON blocks_1 FOR EACH ROW EXECUTE FUNCTION refuse()")
			if err := w.sim.Mine(2); err != nil {
				t.Fatal(err)
			}
			if err := leader.turn(t.Context()); !errors.Is(err, c.cause) {
				t.Errorf("got %v, want %v", err, c.cause)
			}
			status := w.status()
			if status.State != chain.Halted || status.ReasonCode != c.reason || status.Coverage.Last != stood.Number {
				t.Errorf("got the status %+v, want %s for %s at block %d", status, chain.Halted, c.reason, stood.Number)
			}
			w.execute("DROP TRIGGER refuse ON blocks_1")
			w.catchUp(leader)
		})
	}
}

func TestReadOnlyDatabaseIsDistinguishedFromAMissingIndexer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sim.Config{Blocks: 2})
	leader := w.leader(w.loop("a"))
	w.catchUp(leader)
	if w.status().ReadOnly {
		t.Error("got read-only for a writable database, want writable")
	}
	w.execute(`DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = on', current_database()); END $$`)
	w.connect() // old sessions keep the old setting
	if !w.status().ReadOnly {
		t.Error("got writable for a read-only database, want read-only")
	}
}
