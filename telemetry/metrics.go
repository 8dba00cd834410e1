package telemetry

import (
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Metrics are the Prometheus metrics of one process. Each value has its own
// registry, so that a test can run several processes.
type Metrics struct {
	registry *prometheus.Registry

	requests          *prometheus.CounterVec
	requestDuration   *prometheus.HistogramVec
	statements        *prometheus.CounterVec
	statementDuration *prometheus.HistogramVec
	jobs              *prometheus.CounterVec
	jobDuration       *prometheus.HistogramVec
	headBlock         *prometheus.GaugeVec
	indexedBlock      *prometheus.GaugeVec
	indexedEvents     *prometheus.CounterVec
	indexState        *prometheus.GaugeVec
	backfill          *prometheus.GaugeVec
	verifications     *prometheus.CounterVec
	builds            *prometheus.HistogramVec
	proofs            *prometheus.CounterVec
	nodeCalls         *prometheus.CounterVec
	nodeCallDuration  *prometheus.HistogramVec
	nodeRetries       *prometheus.CounterVec
	nodeWaits         *prometheus.CounterVec

	mu     sync.Mutex
	states map[string]string // the last state of each chain's index
}

const namespace = "astrolabe"

// durationBuckets range from a cached read to a request that reached its time
// limit.
var durationBuckets = []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30}

// buildBuckets range from a build that is refused at once to the limit of a build.
var buildBuckets = []float64{.1, .5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 900}

// NewMetrics registers the metrics of every process, with those of the build,
// the Go runtime and the operating system process.
func NewMetrics() *Metrics {
	registry := prometheus.NewRegistry()
	registry.MustRegister(
		collectors.NewBuildInfoCollector(),
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	factory := promauto.With(registry)
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return factory.NewCounterVec(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help}, labels)
	}
	gauge := func(name, help string, labels ...string) *prometheus.GaugeVec {
		return factory.NewGaugeVec(prometheus.GaugeOpts{Namespace: namespace, Name: name, Help: help}, labels)
	}
	histogram := func(name, help string, labels ...string) *prometheus.HistogramVec {
		return factory.NewHistogramVec(prometheus.HistogramOpts{Namespace: namespace, Name: name, Help: help, Buckets: durationBuckets}, labels)
	}
	return &Metrics{
		registry: registry, states: map[string]string{},

		requests:          counter("http_requests_total", "HTTP requests, by method, route template and status code.", "method", "route", "status"),
		requestDuration:   histogram("http_request_duration_seconds", "Time to answer an HTTP request, by route template.", "route"),
		statements:        counter("sql_statements_total", "SQL statements, by name and outcome.", "name", "outcome"),
		statementDuration: histogram("sql_statement_duration_seconds", "Duration of an SQL statement, by name.", "name"),
		jobs:              counter("jobs_total", "Background jobs, by kind and outcome.", "kind", "outcome"),
		jobDuration:       histogram("job_duration_seconds", "Duration of a background job, by kind.", "kind"),
		headBlock:         gauge("index_head_block", "Newest block of the chain's node, as the index last saw it.", "chain"),
		indexedBlock:      gauge("index_block", "Newest block that is indexed.", "chain"),
		indexedEvents:     counter("index_events_total", "Events that the index stored.", "chain"),
		backfill:          gauge("index_backfill_ratio", "Share of a chain's backfill that is done, its indexes included, from 0 to 1.", "chain"),
		indexState:        gauge("index_state", "1 for the current state of a chain's index, 0 for its earlier states.", "chain", "state"),
		verifications:     counter("verification_job_transitions_total", "State transitions of verification jobs, by new state.", "state"),
		builds: factory.NewHistogramVec(prometheus.HistogramOpts{
			Namespace: namespace, Name: "verification_build_duration_seconds", Help: "Duration of a build of a verification job, by outcome.", Buckets: buildBuckets,
		}, []string{"outcome"}),
		proofs:           counter("proof_job_transitions_total", "Status transitions of proof jobs, by new status.", "status"),
		nodeCalls:        counter("node_calls_total", "Calls to upstream nodes, by host, JSON-RPC method and outcome.", "upstream", "method", "outcome"),
		nodeCallDuration: histogram("node_call_duration_seconds", "Duration of an answered call to an upstream node, without the wait for its rate limit.", "upstream", "method"),
		nodeRetries:      counter("node_retries_total", "Calls to upstream nodes that repeat one that failed or was refused.", "upstream", "method"),
		nodeWaits:        counter("node_limit_wait_seconds_total", "Time that calls have waited for the rate limit of an upstream node.", "upstream"),
	}
}

// Handler serves the metrics in the format that the scraper requests.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

// Request records one completed request. The route is the template, never the
// path.
func (m *Metrics) Request(route, method string, status int, took time.Duration) {
	m.requests.WithLabelValues(method, route, strconv.Itoa(status)).Inc()
	m.requestDuration.WithLabelValues(route).Observe(took.Seconds())
}

// Statement records one SQL statement. The caller limits the number of names.
func (m *Metrics) Statement(name string, err error, took time.Duration) {
	m.statements.WithLabelValues(name, outcome(err)).Inc()
	m.statementDuration.WithLabelValues(name).Observe(took.Seconds())
}

// Job records one run of a background job.
func (m *Metrics) Job(kind string, err error, took time.Duration) {
	m.jobs.WithLabelValues(kind, outcome(err)).Inc()
	m.jobDuration.WithLabelValues(kind).Observe(took.Seconds())
}

// HeadBlock records the newest block that a chain's node has reported.
func (m *Metrics) HeadBlock(chain string, number uint64) {
	m.headBlock.WithLabelValues(chain).Set(float64(number))
}

// IndexedBlock records the newest block that the index of a chain holds.
func (m *Metrics) IndexedBlock(chain string, number uint64) {
	m.indexedBlock.WithLabelValues(chain).Set(float64(number))
}

// IndexedEvents counts events that the index of a chain stored.
func (m *Metrics) IndexedEvents(chain string, events int) {
	m.indexedEvents.WithLabelValues(chain).Add(float64(events))
}

// IndexState records the current state of a chain's index and sets the state
// before it to zero.
func (m *Metrics) IndexState(chain, state string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.indexState.WithLabelValues(chain, state).Set(1)
	if last, known := m.states[chain]; known && last != state {
		m.indexState.WithLabelValues(chain, last).Set(0)
	}
	m.states[chain] = state
}

// Backfill records the share of a chain's backfill that is done, from 0 to 1.
func (m *Metrics) Backfill(chain string, share float64) {
	m.backfill.WithLabelValues(chain).Set(share)
}

// VerificationTransition counts a transition of a verification job to a state.
func (m *Metrics) VerificationTransition(state string) {
	m.verifications.WithLabelValues(state).Inc()
}

// VerificationBuild records a build of a verification job.
func (m *Metrics) VerificationBuild(outcome string, took time.Duration) {
	m.builds.WithLabelValues(outcome).Observe(took.Seconds())
}

// ProofTransition counts a transition of a proof job to a status.
func (m *Metrics) ProofTransition(status string) { m.proofs.WithLabelValues(status).Inc() }

// NodeCall is a call to an upstream node.
type NodeCall struct {
	Upstream string // its host
	Method   string
	Outcome  string
	Retry    bool          // it repeats a call that failed
	Waited   time.Duration // for the rate limit
	Took     time.Duration // zero if it was not sent
}

// NodeCall records a call to an upstream node. The caller limits the number of
// methods.
func (m *Metrics) NodeCall(c NodeCall) {
	m.nodeCalls.WithLabelValues(c.Upstream, c.Method, c.Outcome).Inc()
	m.nodeWaits.WithLabelValues(c.Upstream).Add(c.Waited.Seconds())
	if c.Took > 0 {
		m.nodeCallDuration.WithLabelValues(c.Upstream, c.Method).Observe(c.Took.Seconds())
	}
	if c.Retry {
		m.nodeRetries.WithLabelValues(c.Upstream, c.Method).Inc()
	}
}

// Gauge registers a value that is read at every scrape. It panics if the name
// is already registered.
func (m *Metrics) Gauge(name, help string, read func() float64) {
	promauto.With(m.registry).NewGaugeFunc(prometheus.GaugeOpts{Namespace: namespace, Name: name, Help: help}, read)
}

// Counter registers a value that only grows and is read at every scrape. It
// panics if the name is already registered.
func (m *Metrics) Counter(name, help string, read func() float64) {
	promauto.With(m.registry).NewCounterFunc(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help}, read)
}

func outcome(err error) string {
	if err != nil {
		return "error"
	}
	return "ok"
}
