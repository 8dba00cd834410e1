package main

import (
	"testing"

	"astrolabe/failpoint"
	"astrolabe/pg/pgtest"
	"astrolabe/repo/repotest"
)

// TestKillWhileTheLedgerIsExtendedCountsNothingTwice kills the worker inside its
// transaction. It is rolled back, and the next worker counts everything once.
func TestKillWhileTheLedgerIsExtendedCountsNothingTwice(t *testing.T) {
	t.Parallel()
	o := &operator{T: t, url: pgtest.Database(t, repotest.Followed)}
	c := &campaign{T: t}
	data := pgtest.Dir(t)
	work := func(point string) *program {
		return start(t, []string{"ASTROLABE_DATABASE_URL=" + o.url, "ASTROLABE_FAILPOINT=" + point}, "work", "--data", data, "--admin-addr", "")
	}
	through := func() (block *int64) {
		c.ask(o.url, "SELECT block FROM privacy_ledgers WHERE chain = 1", &block)
		return block
	}
	for _, point := range failpoint.Extending {
		dying := work(point)
		dying.wait(t)
		if !dying.killed() {
			t.Fatalf("got a worker that was not killed at %s, want it killed:\n%s", point, dying.text())
		}
		var rows int
		c.ask(o.url, "SELECT (SELECT count(*) FROM privacy_counts) + (SELECT count(*) FROM privacy_assets) + (SELECT count(*) FROM privacy_buckets)", &rows)
		if rows != 0 || through() != nil {
			t.Errorf("after a kill at %s: got %d rows, want none", point, rows)
		}
		o.strikes("DELETE FROM river_job") // as if time had passed
		o.strikes("DELETE FROM river_leader")
	}
	last := work("")
	last.until(t, "the ledger is extended", func() bool { return through() != nil })
	if code := last.stop(t); code != exitOK {
		t.Errorf("got exit code %d, want %d:\n%s", code, exitOK, last.text())
	}
	var events int
	c.ask(o.url, "SELECT coalesce(sum(events), 0)::int FROM privacy_counts", &events)
	if events == 0 {
		t.Error("got no events in the ledger, want some")
	}
	o.types(exitOK, "fsck") // makes it again
}
