package telemetry

import (
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Metrics is the set of measurements of one process, with a registry of its
// own so that several processes can live in one test.
type Metrics struct {
	registry *prometheus.Registry

	requests       *prometheus.CounterVec
	counts         sync.Map // answered → prometheus.Counter
	requestSeconds *prometheus.HistogramVec
	statements     *prometheus.CounterVec
	statementTime  *prometheus.HistogramVec
	jobs           *prometheus.CounterVec
	jobSeconds     *prometheus.HistogramVec
	headBlock      *prometheus.GaugeVec
	indexState     *prometheus.GaugeVec
}

// seconds are buckets from a cached read to a request that ran into its
// budget.
var seconds = []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30}

// NewMetrics makes the measurements, together with those of the Go runtime
// and of the process.
func NewMetrics() *Metrics {
	m := &Metrics{
		registry:       prometheus.NewRegistry(),
		requests:       counter("http_requests_total", "Requests answered, by route template, method and status.", "route", "method", "status"),
		requestSeconds: histogram("http_request_seconds", "Time to answer a request, by route template.", "route"),
		statements:     counter("sql_statements_total", "SQL statements run, by name and outcome.", "name", "outcome"),
		statementTime:  histogram("sql_statement_seconds", "Time of a SQL statement, by name.", "name"),
		jobs:           counter("jobs_total", "Background jobs run, by kind and outcome.", "kind", "outcome"),
		jobSeconds:     histogram("job_seconds", "Time of a background job, by kind.", "kind"),
		headBlock:      gauge("index_head_block", "The node's newest block as the index last saw it.", "chain"),
		indexState:     gauge("index_state", "1 for the state in which the index of a chain is.", "chain", "state"),
	}
	m.registry.MustRegister(
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		m.requests, m.requestSeconds, m.statements, m.statementTime,
		m.jobs, m.jobSeconds, m.headBlock, m.indexState,
	)
	return m
}

// Handler serves the metrics in Prometheus' text format.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

// answered is one combination of labels of a request.
type answered struct {
	route, method string
	status        int
}

// Request counts one answered request. Route is the template, never the path.
func (m *Metrics) Request(route, method string, status int, took time.Duration) {
	key := answered{route, method, status}
	count, known := m.counts.Load(key) // looking labels up costs more than counting
	if !known {
		count, _ = m.counts.LoadOrStore(key, m.requests.WithLabelValues(route, method, strconv.Itoa(status)))
	}
	count.(prometheus.Counter).Inc()
	m.requestSeconds.WithLabelValues(route).Observe(took.Seconds())
}

// Statement counts one SQL statement.
func (m *Metrics) Statement(name string, err error, took time.Duration) {
	m.statements.WithLabelValues(name, outcome(err)).Inc()
	m.statementTime.WithLabelValues(name).Observe(took.Seconds())
}

// Job counts one run of a background job.
func (m *Metrics) Job(kind string, err error, took time.Duration) {
	m.jobs.WithLabelValues(kind, outcome(err)).Inc()
	m.jobSeconds.WithLabelValues(kind).Observe(took.Seconds())
}

// HeadBlock records the newest block that a chain's node has told of.
func (m *Metrics) HeadBlock(chain string, number uint64) {
	m.headBlock.WithLabelValues(chain).Set(float64(number))
}

// IndexState records the one state in which a chain's index is.
func (m *Metrics) IndexState(chain, state string) {
	m.indexState.DeletePartialMatch(prometheus.Labels{"chain": chain})
	m.indexState.WithLabelValues(chain, state).Set(1)
}

// Gauge registers a value that is read when the metrics are.
func (m *Metrics) Gauge(name, help string, read func() float64) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Namespace: namespace, Name: name, Help: help}, read))
}

// Counter registers a value that only grows and is read when the metrics are.
func (m *Metrics) Counter(name, help string, read func() float64) {
	m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help}, read))
}

const namespace = "astrolabe"

func counter(name, help string, labels ...string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help}, labels)
}

func gauge(name, help string, labels ...string) *prometheus.GaugeVec {
	return prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: namespace, Name: name, Help: help}, labels)
}

func histogram(name, help string, labels ...string) *prometheus.HistogramVec {
	return prometheus.NewHistogramVec(prometheus.HistogramOpts{Namespace: namespace, Name: name, Help: help, Buckets: seconds}, labels)
}

func outcome(err error) string {
	if err != nil {
		return "error"
	}
	return "ok"
}
