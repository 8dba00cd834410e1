package main

import (
	"testing"

	"astrolabe/failpoint"
	"astrolabe/pg/pgtest"
	"astrolabe/repo/repotest"
)

// TestKillInsideATransactionOfAJobCountsNothingTwice kills the worker while it
// adds up finalized rows. The transaction is rolled back, and the next worker
// counts everything once.
func TestKillInsideATransactionOfAJobCountsNothingTwice(t *testing.T) {
	t.Parallel()
	for name, job := range map[string]struct {
		points        []string
		through, rows string // statements: the last counted block, and what it has stored
	}{
		"token sums": {
			failpoint.Summing, "SELECT block FROM token_summary_checkpoints WHERE chain = 1",
			"SELECT (SELECT count(*) FROM token_parties) + (SELECT count(*) FROM token_summaries)",
		},
		"flow ledgers": {
			failpoint.Extending, "SELECT block FROM privacy_ledgers WHERE chain = 1",
			"SELECT (SELECT count(*) FROM privacy_counts) + (SELECT count(*) FROM privacy_assets) + (SELECT count(*) FROM privacy_buckets)",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := &operator{T: t, url: pgtest.Database(t, repotest.Followed)}
			c := &campaign{T: t}
			data := pgtest.Dir(t)
			work := func(point string) *program {
				return start(t, []string{"ASTROLABE_DATABASE_URL=" + o.url, "ASTROLABE_FAILPOINT=" + point}, "work", "--data", data, "--admin-addr", "")
			}
			through := func() (block *int64) {
				c.ask(o.url, job.through, &block)
				return block
			}
			stored := func() (rows int) {
				c.ask(o.url, job.rows, &rows)
				return rows
			}
			for _, point := range job.points {
				dying := work(point)
				dying.wait(t)
				if !dying.killed() {
					t.Fatalf("got a worker that was not killed at %s, want it killed:\n%s", point, dying.text())
				}
				if rows := stored(); rows != 0 || through() != nil {
					t.Errorf("after a kill at %s: got %d rows, want none", point, rows)
				}
				o.strikes("DELETE FROM river_job") // as if time had passed
				o.strikes("DELETE FROM river_leader")
			}
			last := work("")
			last.until(t, "everything is counted", func() bool { return through() != nil })
			if code := last.stop(t); code != exitOK {
				t.Errorf("got exit code %d, want %d:\n%s", code, exitOK, last.text())
			}
			if stored() == 0 {
				t.Error("got no rows, want some")
			}
			o.types(exitOK, "fsck") // counts again
		})
	}
}
