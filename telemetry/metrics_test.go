package telemetry

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
)

// scrape reads the metrics as Prometheus does.
func scrape(t *testing.T, m *Metrics) string {
	t.Helper()
	answer := httptest.NewRecorder()
	AdminHandler(m, new(Health)).ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
	if answer.Code != http.StatusOK {
		t.Fatalf("got status %d, want 200: %s", answer.Code, answer.Body)
	}
	return answer.Body.String()
}

func TestMetricsReportRecordedValues(t *testing.T) {
	t.Parallel()
	m := NewMetrics()
	m.Request("/v1/{chain}/status", http.MethodGet, http.StatusOK, 3*time.Millisecond)
	m.Request("/v1/{chain}/status", http.MethodGet, http.StatusNotFound, time.Minute)
	m.Statement("head.list", errors.New("x"), time.Millisecond)
	m.Job("retain_secrets", nil, time.Second)
	m.HeadBlock("SN_MAIN", 12345678)
	m.IndexedBlock("SN_MAIN", 42)
	m.IndexedEvents("SN_MAIN", 7)
	m.NodeCall(NodeCall{Upstream: "node.example", Method: "starknet_call", Outcome: "ok", Retry: true, Waited: time.Second, Took: time.Millisecond})
	m.Gauge("db_connections", "Help.", func() float64 { return 3 })
	m.Counter("usage_dropped_total", "Help.", func() float64 { return 5 })
	got := scrape(t, m)
	for _, want := range []string{
		`astrolabe_http_requests_total{method="GET",route="/v1/{chain}/status",status="200"} 1`,
		`astrolabe_http_requests_total{method="GET",route="/v1/{chain}/status",status="404"} 1`,
		`astrolabe_http_request_duration_seconds_bucket{route="/v1/{chain}/status",le="0.005"} 1`,
		`astrolabe_http_request_duration_seconds_bucket{route="/v1/{chain}/status",le="+Inf"} 2`,
		`astrolabe_sql_statements_total{name="head.list",outcome="error"} 1`,
		`astrolabe_sql_statement_duration_seconds_count{name="head.list"} 1`,
		`astrolabe_jobs_total{kind="retain_secrets",outcome="ok"} 1`,
		`astrolabe_job_duration_seconds_sum{kind="retain_secrets"} 1`,
		`astrolabe_index_head_block{chain="SN_MAIN"} 1.2345678e+07`,
		`astrolabe_index_block{chain="SN_MAIN"} 42`,
		`astrolabe_index_events_total{chain="SN_MAIN"} 7`,
		`astrolabe_node_calls_total{method="starknet_call",outcome="ok",upstream="node.example"} 1`,
		`astrolabe_node_call_duration_seconds_count{method="starknet_call",upstream="node.example"} 1`,
		`astrolabe_node_retries_total{method="starknet_call",upstream="node.example"} 1`,
		`astrolabe_node_limit_wait_seconds_total{upstream="node.example"} 1`,
		`astrolabe_db_connections 3`,
		`astrolabe_usage_dropped_total 5`,
	} {
		if !strings.Contains(got, want+"\n") {
			t.Errorf("got the metrics\n%s\nwant %s among them", got, want)
		}
	}
	problems, err := testutil.GatherAndLint(m.registry)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: got %q, want no violation of Prometheus' conventions", p.Metric, p.Text)
	}
}

func TestMetricsDescribeTheBuildTheRuntimeAndTheProcess(t *testing.T) {
	t.Parallel()
	got := scrape(t, NewMetrics())
	for _, want := range []string{"go_build_info{", "go_goroutines ", "go_memstats_heap_inuse_bytes ", "process_start_time_seconds ", "process_open_fds "} {
		if !strings.Contains(got, "\n"+want) {
			t.Errorf("got the metrics\n%s\nwant %s among them", got, want)
		}
	}
}

func TestIndexHasOneCurrentState(t *testing.T) {
	t.Parallel()
	m := NewMetrics()
	for _, state := range []string{"halted", "following", "following"} {
		m.IndexState("SN_MAIN", state)
	}
	m.IndexState("SN_SEPOLIA", "halted")
	got := scrape(t, m)
	for _, want := range []string{
		`astrolabe_index_state{chain="SN_MAIN",state="following"} 1`,
		`astrolabe_index_state{chain="SN_MAIN",state="halted"} 0`,
		`astrolabe_index_state{chain="SN_SEPOLIA",state="halted"} 1`,
	} {
		if !strings.Contains(got, want+"\n") {
			t.Errorf("got the metrics\n%s\nwant %s among them", got, want)
		}
	}
}

func TestEachProcessHasItsOwnMetrics(t *testing.T) {
	t.Parallel()
	one, other := NewMetrics(), NewMetrics()
	one.HeadBlock("SN_MAIN", 1)
	if got := scrape(t, other); strings.Contains(got, "astrolabe_index_head_block{") {
		t.Error("got the head block of another process, want none")
	}
}

func TestDuplicateMetricNamePanics(t *testing.T) {
	t.Parallel()
	defer func() {
		if recover() == nil {
			t.Error("got two metrics with one name, want a panic")
		}
	}()
	m := NewMetrics()
	m.Gauge("twice", "", func() float64 { return 0 })
	m.Counter("twice", "", func() float64 { return 0 })
}

func TestMetricsAreSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	m := NewMetrics()
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 50 {
				m.Statement("head.list", nil, time.Millisecond)
				m.IndexState("SN_MAIN", "following")
				if _, err := m.registry.Gather(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if want := `astrolabe_sql_statements_total{name="head.list",outcome="ok"} 200` + "\n"; !strings.Contains(scrape(t, m), want) {
		t.Errorf("got the metrics\n%s\nwant %s among them", scrape(t, m), want)
	}
}
