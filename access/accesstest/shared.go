package accesstest

import (
	"context"
	"sync"
	"testing"
	"time"

	"astrolabe/pg/pgtest"
	"astrolabe/repo"
)

var (
	sharing sync.Mutex
	shared  = map[string]*Fixture{} // by the URL of their database
)

// Shared is New for many tests over one clone of a template, in which none of
// them changes anything that another reads.
func Shared(tb testing.TB, template pgtest.Template) (*repo.DB, *Fixture) {
	tb.Helper()
	url := pgtest.Shared(tb, template)
	sharing.Lock()
	defer sharing.Unlock()
	f := shared[url]
	if f == nil {
		db, err := repo.Open(context.WithoutCancel(tb.Context()), repo.Options{URL: url})
		if err != nil {
			tb.Fatal(err)
		}
		pgtest.AfterTests(db.Close)
		f = New(tb, db, time.Now)
		shared[url] = f
	}
	other := *f
	other.tb = tb
	return f.db, &other
}
