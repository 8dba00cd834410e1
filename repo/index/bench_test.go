package index_test

import (
	"testing"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/repo/index"
	"astrolabe/repo/repotest"
)

// rowsOf counts the rows of blocks in the tables of their partition.
func rowsOf(blocks []facts.Block) (n int) {
	for i := range blocks {
		b := &blocks[i]
		n += 1 + len(b.Transactions) + len(b.Events) + len(b.Messages) + len(b.Transfers) + len(b.Activity)
	}
	return n
}

// BenchmarkStored reads the everyday chain back.
func BenchmarkStored(b *testing.B) {
	archive, rows := index.NewArchive(repotest.OpenTemplate(b, repotest.Followed)), 0
	for b.Loop() {
		for run, err := range archive.StoredRuns(b.Context(), domain.Mainnet, 0, 1000) {
			if err != nil {
				b.Fatal(err)
			}
			rows += rowsOf(run.Blocks)
		}
	}
	b.ReportMetric(float64(rows)/b.Elapsed().Seconds(), "rows/s")
}

// BenchmarkCommit stores the everyday chain in a loading partition, as a backfill
// does. Creating and dropping the partition does not count towards rows/s.
func BenchmarkCommit(b *testing.B) {
	blocks, db := repotest.Everyday(b), repotest.Open(b)
	writer := index.NewWriter(db)
	lease, _, err := index.NewLeases(db).TakeLease(b.Context(), domain.Mainnet, "bench", time.Hour)
	if err != nil {
		b.Fatal(err)
	}
	loading := indexing.Range{State: indexing.RangeLoading}
	var spent time.Duration
	rows := 0
	do := func(err error) {
		if err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		do(writer.Begin(b.Context(), lease, 0, false, nil))
		do(writer.OpenRange(b.Context(), lease, loading))
		began := time.Now()
		do(writer.Commit(b.Context(), lease, indexing.Batch{Range: loading, Blocks: blocks}))
		spent += time.Since(began)
		rows += rowsOf(blocks)
		do(writer.Rollback(b.Context(), lease, nil))
	}
	b.ReportMetric(float64(rows)/spent.Seconds(), "rows/s")
}
