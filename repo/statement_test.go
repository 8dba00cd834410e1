package repo

import (
	"io"
	"net/http/httptest"
	"strings"
	"testing"

	"astrolabe/pg/pgtest"
	"astrolabe/repo/model"
	"astrolabe/telemetry"
)

func TestAStatementIsKnownByTheNameInItsComment(t *testing.T) {
	t.Parallel()
	for sql, want := range map[string]string{
		"/* head.list */ SELECT 1":         "head.list",
		"\n\t/* head.list */\n\tSELECT 1":  "head.list",
		"-- name: JobInsert :many\nINSERT": "queue.JobInsert",
		"SELECT 1":                         "unnamed",
		"/* unclosed":                      "unnamed",
		"":                                 "unnamed",
	} {
		if got := StatementName(sql); got != want {
			t.Errorf("%q is named %q, want %q", sql, got, want)
		}
	}
}

func TestStatementsAreCountedAndMeasuredByName(t *testing.T) {
	t.Parallel()
	metrics := telemetry.NewMetrics()
	db, err := Open(t.Context(), Options{URL: pgtest.Database(t, migrated), Metrics: metrics})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	ctx, count := telemetry.CountStatements(t.Context())
	if err := db.Write().NewSelect().Model(new([]model.Secret)).Comment("secrets.load").Scan(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := Select[int64](ctx, db.Write(), "/* test.one */ SELECT 1"); err != nil { // prepared
		t.Fatal(err)
	}
	if count.N() != 2 {
		t.Errorf("%d statements were counted, want 2", count.N())
	}
	answer := httptest.NewRecorder()
	metrics.Handler().ServeHTTP(answer, httptest.NewRequest("GET", "/metrics", nil))
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`astrolabe_sql_statements_total{name="secrets.load",outcome="ok"} 1`,
		`astrolabe_sql_statements_total{name="test.one",outcome="ok"} 1`,
		`astrolabe_db_connections_max 20`,
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the metrics lack %s", want)
		}
	}
}

func TestAMalformedAddressNeverShowsItsPassword(t *testing.T) {
	t.Parallel()
	for _, url := range []string{
		"postgres://u:hunter2hunter2@%zz/x", "postgres://u:hunter2hunter2@host:port/x",
		"postgres://u:hunter2hunter2@127.0.0.1:1/x?connect_timeout=1", "host=x password=hunter2hunter2 port=z",
	} {
		db, err := Open(t.Context(), Options{URL: url})
		if err == nil {
			db.Close()
			t.Errorf("%s was opened", url)
		} else if strings.Contains(err.Error(), "hunter2") {
			t.Errorf("the password is in %v", err)
		}
	}
}
