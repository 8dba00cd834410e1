package retain_test

import (
	"log/slog"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"astrolabe/jobs/retain"
	"astrolabe/pg/pgtest"
	"astrolabe/repo"
	"astrolabe/repo/repotest"
	"astrolabe/repo/tokens"
)

func TestExpiredCensusesAreDeletedWithTheirRows(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t, repotest.Migrated)
	db, err := repo.Open(t.Context(), repo.Options{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(t.Context()) })
	// Snapshot 1 belongs to an expired generation, 2 to one in its grace period,
	// 3 to a live one; 4 and 5 belong to none, 4 is old and 5 is young.
	for _, statement := range []string{
		`INSERT INTO census_snapshots (id, chain, token, holders, total, digest, analytics, created_at)
			SELECT n, 1, 7, 2, 2, '', '{}', now() - CASE n WHEN 5 THEN interval '1 minute' ELSE interval '7 hours' END FROM generate_series(1, 5) n`,
		`INSERT INTO census_holders (snapshot, rank, holder, updated, balance) SELECT n, r, r, 0, 1 FROM generate_series(1, 5) n, generate_series(1, 2) r`,
		`INSERT INTO census_generations (chain, token, block, block_hash, status, checked_at, expires_at, snapshot)
			SELECT 1, 7, n, '', 'certified', now(), now() - (ARRAY[interval '1 hour', interval '1 minute', interval '-1 hour'])[n], n FROM generate_series(1, 3) n`,
	} {
		if _, err := conn.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	worker := &retain.Census{Store: tokens.NewCensusBuilder(db), Logger: slog.New(slog.DiscardHandler)}
	if err := worker.Run(t.Context(), time.Now()); err != nil {
		t.Fatal(err)
	}
	var left string
	if err := conn.QueryRow(t.Context(), `SELECT string_agg(DISTINCT snapshot::text, ',') || ' of ' || (SELECT string_agg(snapshot::text, ',' ORDER BY id) FROM census_generations)
		FROM census_holders`).Scan(&left); err != nil || left != "2,3,5 of 2,3" {
		t.Errorf("got the rows of %s and %v, want 2,3,5 of 2,3", left, err)
	}
}
