package index_test

import (
	"testing"

	"astrolabe/domain"
	"astrolabe/domain/indexing"
	"astrolabe/repo/index"
	"astrolabe/repo/repotest"
)

// TestPlansAssumeManySelectorsWhereOneIsEverywhere leaves events of one
// selector only. With the sampled statistics, the planner could scan all events
// for a rare one.
func TestPlansAssumeManySelectorsWhereOneIsEverywhere(t *testing.T) {
	t.Parallel()
	db := repotest.OpenTemplate(t, repotest.Followed)
	if _, err := db.Write().NewRaw("DELETE FROM events e USING selectors s WHERE e.chain = 1 AND s.chain = 1 AND s.id = e.selector AND s.felt <> ?",
		repotest.TransferSelector).Exec(t.Context()); err != nil {
		t.Fatal(err)
	}
	at, err := index.NewCheckpoints(db).Checkpoint(t.Context(), domain.Mainnet)
	if err != nil || len(at.Ranges) != 3 {
		t.Fatalf("got %+v, %v, want three partitions", at, err)
	}
	for _, r := range at.Ranges {
		if err := index.NewWriter(db).AnalyzeRange(t.Context(), indexing.Lease{Chain: domain.Mainnet}, r); err != nil {
			t.Fatal(err)
		}
		var assumed int64
		if err := db.Write().NewRaw("SELECT n_distinct::int FROM pg_stats WHERE tablename = 'events_1_?' AND attname = 'selector'", r.From).
			Scan(t.Context(), &assumed); err != nil || assumed != 1000 {
			t.Errorf("partition from %d: got %d assumed selectors and %v, want 1000", r.From, assumed, err)
		}
	}
}
