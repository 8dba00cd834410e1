package main

import (
	"net/http/httptest"
	"testing"

	"astrolabe/failpoint"
	"astrolabe/pg/pgtest"
	"astrolabe/repo/repotest"
	"astrolabe/sim"
	"astrolabe/sim/simtest"
)

// TestUnfinishedCensusIsInvisibleAfterAKillAtAnyPoint kills the worker while it
// counts, after it has counted and while it publishes. Readers never see an
// incomplete generation, and the next worker counts everything.
func TestUnfinishedCensusIsInvisibleAfterAKillAtAnyPoint(t *testing.T) {
	t.Parallel()
	node := simtest.New(t, sim.Config{Blocks: 60})
	server := httptest.NewServer(node.Handler())
	t.Cleanup(func() {
		_ = node.Close()
		server.Close()
	})
	database := pgtest.Database(t, repotest.Followed)
	c := &campaign{T: t, node: node, nodeURL: server.URL, data: pgtest.Dir(t)}
	work := func(point string) *program {
		return start(t, []string{"ASTROLABE_DATABASE_URL=" + database, "ASTROLABE_FAILPOINT=" + point},
			"work", "--data", c.data, "--admin-addr", "", "--node-main", server.URL)
	}
	count := func(query string) (n int) {
		c.ask(database, "SELECT count(*) FROM "+query, &n)
		return n
	}
	const (
		broken = `census_generations g JOIN census_snapshots s ON s.id = g.snapshot WHERE g.status = 'certified'
			AND (s.holders, s.total) IS DISTINCT FROM (SELECT (count(*), coalesce(sum(balance), 0)) FROM census_holders WHERE snapshot = s.id)`
		uncounted = `tokens t WHERE NOT EXISTS (SELECT FROM census_generations WHERE token = t.address)
			AND NOT EXISTS (SELECT FROM census_policies WHERE token = t.address AND NOT qualified)`
	)
	o := &operator{T: t, url: database}
	for i, point := range failpoint.Counting {
		dying := work(point)
		dying.wait(t)
		if !dying.killed() {
			t.Fatalf("got a worker that was not killed at %s, want it killed:\n%s", point, dying.text())
		}
		if n := count("census_generations"); n != 0 {
			t.Errorf("after a kill at %s: got %d generations, want none", point, n)
		}
		if staged := count("census_snapshots"); staged != i { // one more each time after the first, whose transaction was open
			t.Errorf("after a kill at %s: got %d staged snapshots, want %d", point, staged, i)
		}
		o.timePasses()
	}
	last := work("")
	last.until(t, "every token is counted", func() bool { return count(uncounted) == 0 })
	if n := count(broken); n != 0 {
		t.Errorf("got %d incomplete generations, want none", n)
	}
	if n := count("census_generations WHERE status = 'certified'"); n < 10 {
		t.Errorf("got %d certified generations, want at least 10", n)
	}
	if code := last.stop(t); code != exitOK {
		t.Errorf("got exit code %d, want %d:\n%s", code, exitOK, last.text())
	}
}

// timePasses expires the claims of a dead worker and its jobs in the queue.
func (o *operator) timePasses() {
	o.Helper()
	o.strikes("UPDATE tokens SET census_due = '-infinity', metadata_due = '-infinity'")
	o.strikes("DELETE FROM river_job")
	o.strikes("DELETE FROM river_leader")
}
