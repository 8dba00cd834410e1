package repo

import (
	"context"
	"slices"
	"sync"
	"testing"
)

// ear records what a listener received.
type ear struct {
	mu     sync.Mutex
	heard  []string
	states []bool
}

func (e *ear) on(channel, payload string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.heard = append(e.heard, channel+" "+payload)
}

func (e *ear) state(up bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.states = append(e.states, up)
}

func (e *ear) stood(states ...bool) func() bool {
	return func() bool {
		e.mu.Lock()
		defer e.mu.Unlock()
		return slices.Equal(e.states, states)
	}
}

func (e *ear) has(line string) func() bool {
	return func() bool {
		e.mu.Lock()
		defer e.mu.Unlock()
		return slices.Contains(e.heard, line)
	}
}

func TestAListenerComesBackAfterItsConnectionBroke(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	ctx, cancel := context.WithCancel(t.Context())
	var e ear
	ended := make(chan struct{})
	go func() { db.Listen(ctx, []string{"one", "two"}, e.on, e.state); close(ended) }()
	notify := func(channel, payload string) {
		if _, err := db.pool.Exec(t.Context(), "SELECT pg_notify($1, $2)", channel, payload); err != nil {
			t.Error(err)
		}
	}
	soon(t, "it listens", e.stood(true))
	notify("one", "a")
	notify("two", "b")
	notify("three", "c")
	soon(t, "both channels are heard", func() bool { return e.has("one a")() && e.has("two b")() })
	if _, err := db.pool.Exec(t.Context(), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
		WHERE datname = current_database() AND query LIKE '/* listen.%'`); err != nil {
		t.Fatal(err)
	}
	soon(t, "it listens again", e.stood(true, false, true))
	notify("one", "d")
	soon(t, "it is heard again", e.has("one d"))
	cancel()
	<-ended
	if !e.stood(true, false, true, false)() || e.has("three c")() {
		t.Errorf("got the states %v and notifications %v, want connected twice and none of the other channel", e.states, e.heard)
	}
}

func TestASilentListenerAsksWhetherTheDatabaseIsThere(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	ctx, cancel := context.WithCancel(t.Context())
	var e ear
	ended := make(chan struct{})
	go func() { db.Listen(ctx, []string{"one"}, e.on, e.state); close(ended) }()
	asked := func() (n int) {
		err := db.pool.QueryRow(t.Context(), `SELECT count(*) FROM pg_stat_activity
			WHERE datname = current_database() AND query LIKE '/* listen.alive */%'`).Scan(&n)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	soon(t, "it asks", func() bool { return asked() == 1 })
	if _, err := db.pool.Exec(t.Context(), "SELECT pg_notify('one', 'after')"); err != nil {
		t.Fatal(err)
	}
	soon(t, "it still hears", e.has("one after"))
	cancel()
	<-ended
	if !e.stood(true, false)() {
		t.Errorf("got the states %v, want connected and disconnected", e.states)
	}
}
