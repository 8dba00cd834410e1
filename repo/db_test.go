package repo

import (
	"testing"

	"astrolabe/pg/pgtest"
)

func TestAllConnectionsOfAProcessStayWithinTheirLimit(t *testing.T) {
	t.Parallel()
	for _, o := range []Options{{MaxConns: 8, Listeners: 4}, {MaxConns: 21, Listeners: 4}, {MaxConns: 20}} {
		db := openWith(t, o)
		writes, reads := int(db.pool.Config().MaxConns), db.read.Stats().MaxOpenConnections
		if got := writes + reads + o.Listeners; got != o.MaxConns || writes < 1 || reads < 1 {
			t.Errorf("got %d for writes and %d for reads beside %d listeners, want %d in all", writes, reads, o.Listeners, o.MaxConns)
		}
	}
}

func TestADatabaseThatCannotServeReadsIsNotReady(t *testing.T) {
	t.Parallel()
	db := openWith(t, Options{})
	if err := db.Readable(t.Context()); err != nil {
		t.Errorf("got %v, want a readable database", err)
	}
	_ = db.read.Close()
	if err := db.Writable(t.Context()); err != nil {
		t.Errorf("got %v, want a writable database", err)
	}
	if err := db.Readable(t.Context()); err == nil {
		t.Error("got no error without connections for reads, want one")
	}
}

// openWith opens an empty database.
func openWith(t *testing.T, o Options) *DB {
	t.Helper()
	o.URL = pgtest.Database(t, migrated)
	db, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	return db
}
