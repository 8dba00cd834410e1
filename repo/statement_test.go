package repo

import (
	"fmt"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"astrolabe/pg/pgtest"
	"astrolabe/repo/model"
	"astrolabe/telemetry"
	"astrolabe/telemetry/collectortest"
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
	if _, err := Select[int64](ctx, db.Write(), "/* head.list */ SELECT 1"); err != nil { // prepared
		t.Fatal(err)
	}
	if count.N() != 2 {
		t.Errorf("%d statements were counted, want 2", count.N())
	}
	got := scrape(t, metrics)
	for _, want := range []string{
		`astrolabe_sql_statements_total{name="head.list",outcome="ok"} 1`,
		`astrolabe_sql_statement_duration_seconds_count{name="head.list"} 1`,
		`astrolabe_sql_statements_total{name="other",outcome="ok"} `,
		`astrolabe_db_max_connections 20`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("got the metrics\n%s\nwant %s among them", got, want)
		}
	}
	if strings.Contains(got, "secrets.load") {
		t.Error("got a label for secrets.load, want none: it is not hot")
	}
}

func scrape(t *testing.T, metrics *telemetry.Metrics) string {
	t.Helper()
	answer := httptest.NewRecorder()
	metrics.Handler().ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), "GET", "/metrics", nil))
	return answer.Body.String()
}

func TestStatementLabelsAreBounded(t *testing.T) {
	t.Parallel()
	const most = 60
	if len(HotStatements) > most {
		t.Errorf("got %d hot statements, want at most %d", len(HotStatements), most)
	}
	metrics := telemetry.NewMetrics()
	tracer := newStatementTracer(Options{Metrics: metrics})
	run := func(sql string) {
		tracer.TraceQueryEnd(tracer.TraceQueryStart(t.Context(), nil, pgx.TraceQueryStartData{SQL: sql}), nil, pgx.TraceQueryEndData{})
		ctx := tracer.TraceBatchStart(t.Context(), nil, pgx.TraceBatchStartData{})
		tracer.TraceBatchQuery(ctx, nil, pgx.TraceBatchQueryData{SQL: sql})
	}
	for _, name := range HotStatements {
		run("/* " + name + " */ SELECT 1")
	}
	for i := range 500 {
		run(fmt.Sprintf("/* test.n%d */ SELECT 1", i))
	}
	got := scrape(t, metrics)
	if series := strings.Count(got, "\nastrolabe_sql_statements_total{"); series != len(HotStatements)+1 {
		t.Errorf("got %d series of statements, want %d", series, len(HotStatements)+1)
	}
	if want := `astrolabe_sql_statements_total{name="other",outcome="ok"} 1000`; !strings.Contains(got, want) {
		t.Errorf("got the metrics\n%s\nwant %s among them", got, want)
	}
}

func TestStatementsHaveSpans(t *testing.T) {
	t.Parallel()
	collector := collectortest.Start(t)
	tracing, err := telemetry.StartTracing(t.Context(), collector.URL, "test", slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	db, err := Open(t.Context(), Options{URL: pgtest.Database(t, migrated), Tracing: tracing})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := Select[int64](t.Context(), db.Read(), "/* test.one */ SELECT 1"); err != nil {
		t.Fatal(err)
	}
	if _, err := Select[int64](t.Context(), db.Read(), "/* test.fails */ SELECT 1 / $1::integer", 0); err == nil {
		t.Error("got no error, want a division by zero")
	}
	batch := new(pgx.Batch)
	batch.Queue("/* test.batched */ SELECT 1")
	if err := db.pool.SendBatch(t.Context(), batch).Close(); err != nil {
		t.Fatal(err)
	}
	if err := tracing.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, span := range collector.Spans() {
		if strings.HasPrefix(span.GetName(), "test.") {
			got[span.GetName()] = span.GetKind().String() + " " + span.GetStatus().GetCode().String()
		}
	}
	want := map[string]string{
		"test.one":     "SPAN_KIND_CLIENT STATUS_CODE_UNSET",
		"test.fails":   "SPAN_KIND_CLIENT STATUS_CODE_ERROR",
		"test.batched": "SPAN_KIND_CLIENT STATUS_CODE_UNSET",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the spans of statements (-want +got):\n%s", diff)
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
			t.Errorf("%s: got it opened, want an error", url)
		} else if strings.Contains(err.Error(), "hunter2") {
			t.Errorf("got the password in %v, want it hidden", err)
		}
	}
}
