package telemetry

import (
	"errors"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestMetricsAreAPageOfPrometheusText(t *testing.T) {
	t.Parallel()
	m := NewMetrics()
	m.Request("/b", "GET", 200, 0)
	m.Request("/a", "GET", 404, 0)
	m.Request("/a", "GET", 404, 0)
	m.HeadBlock("SN_MAIN", 12345678)
	m.Gauge("odd", "Help with a \\ and\na second line.", func() float64 { return math.Inf(1) })
	m.Counter("grows_total", "Help.", func() float64 { return 0.5 })
	answer := httptest.NewRecorder()
	m.Handler().ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	if got := answer.Header().Get("Content-Type"); got != "text/plain; version=0.0.4; charset=utf-8" {
		t.Errorf("the page's type is %s", got)
	}
	for _, want := range []string{
		`# HELP astrolabe_http_requests_total Requests answered, by route template, method and status.
# TYPE astrolabe_http_requests_total counter
astrolabe_http_requests_total{method="GET",route="/a",status="404"} 2
astrolabe_http_requests_total{method="GET",route="/b",status="200"} 1
# HELP astrolabe_http_request_seconds`,
		`# TYPE astrolabe_index_head_block gauge
astrolabe_index_head_block{chain="SN_MAIN"} 1.2345678e+07
`,
		`# HELP astrolabe_odd Help with a \\ and\na second line.
# TYPE astrolabe_odd gauge
astrolabe_odd +Inf
# HELP astrolabe_grows_total Help.
# TYPE astrolabe_grows_total counter
astrolabe_grows_total 0.5
`,
	} {
		if !strings.Contains(answer.Body.String(), want) {
			t.Errorf("the page lacks\n%s\nin\n%s", want, answer.Body)
		}
	}
	if strings.Contains(answer.Body.String(), "astrolabe_jobs_total") {
		t.Error("a metric without values is on the page")
	}
}

func TestLabelsAreEscaped(t *testing.T) {
	t.Parallel()
	m := NewMetrics()
	m.HeadBlock("a\"b\\c\nd", 1)
	if want := `astrolabe_index_head_block{chain="a\"b\\c\nd"} 1` + "\n"; !strings.Contains(string(m.page()), want) {
		t.Errorf("the page lacks %s", want)
	}
}

func TestBucketsOfAHistogramAccumulate(t *testing.T) {
	t.Parallel()
	m := NewMetrics()
	for _, took := range []time.Duration{0, 500 * time.Microsecond, 501 * time.Microsecond, 30 * time.Second, time.Minute} {
		m.Job("retain", nil, took)
	}
	page := string(m.page())
	for _, want := range []string{
		`astrolabe_job_seconds_bucket{kind="retain",le="0.0005"} 2`,
		`astrolabe_job_seconds_bucket{kind="retain",le="0.001"} 3`,
		`astrolabe_job_seconds_bucket{kind="retain",le="10"} 3`,
		`astrolabe_job_seconds_bucket{kind="retain",le="30"} 4`,
		`astrolabe_job_seconds_bucket{kind="retain",le="+Inf"} 5`,
		`astrolabe_job_seconds_sum{kind="retain"} 90.001001`,
		`astrolabe_job_seconds_count{kind="retain"} 5`,
	} {
		if !strings.Contains(page, want+"\n") {
			t.Errorf("the page lacks %s", want)
		}
	}
}

func TestTheRuntimeAndTheProcessAreMeasured(t *testing.T) {
	t.Parallel()
	page := string(NewMetrics().page())
	for _, r := range runtimeReadings {
		if !strings.Contains(page, "\n"+r.name+" ") {
			t.Errorf("the page lacks %s", r.name)
		}
	}
	for _, never0 := range []string{
		"go_goroutines", "go_threads", "go_gc_gogc_percent", "go_sched_gomaxprocs_threads", "go_memstats_sys_bytes",
		"go_memstats_heap_objects", "go_memstats_heap_inuse_bytes", "go_memstats_next_gc_bytes", "go_memstats_mallocs_total",
		"process_cpu_seconds_total", "process_start_time_seconds", "process_max_fds",
	} {
		if !strings.Contains(page, "\n"+never0+" ") || strings.Contains(page, "\n"+never0+" 0\n") {
			t.Errorf("the page lacks a value of %s", never0)
		}
	}
	if !strings.Contains(page, `go_gc_duration_seconds{quantile="0.25"} `) || !strings.Contains(page, `go_info{version="go1.`) {
		t.Error("the page lacks the collector's pauses or Go's version")
	}
}

func TestAMetricsNameIsTakenOnce(t *testing.T) {
	t.Parallel()
	defer func() {
		if recover() == nil {
			t.Error("two metrics have one name")
		}
	}()
	m := NewMetrics()
	m.Gauge("twice", "", func() float64 { return 0 })
	m.Counter("twice", "", func() float64 { return 0 })
}

func TestNothingIsLostWhenManyCountAtOnce(t *testing.T) {
	t.Parallel()
	m := NewMetrics()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 100 {
				m.Statement("head.list", errors.New("x"), time.Millisecond)
				m.IndexState("SN_MAIN", "following")
				m.page()
			}
		})
	}
	all.Wait()
	page := string(m.page())
	for _, want := range []string{
		`astrolabe_sql_statements_total{name="head.list",outcome="error"} 800`,
		`astrolabe_sql_statement_seconds_count{name="head.list"} 800`,
	} {
		if !strings.Contains(page, want+"\n") {
			t.Errorf("the page lacks %s", want)
		}
	}
}
