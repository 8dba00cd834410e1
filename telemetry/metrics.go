package telemetry

import (
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"
)

// Metrics is the set of measurements of one process, in a value of its own so
// that several processes can live in one test. It is written here rather than
// taken from Prometheus' client, which brings protobuf along: a tenth of the
// time that the whole program takes to compile.
type Metrics struct {
	requests       *family
	requestSeconds *family
	statements     *family
	statementTime  *family
	jobs           *family
	jobSeconds     *family
	headBlock      *family
	indexedBlock   *family
	indexedEvents  *family
	indexState     *family

	mu       sync.Mutex
	readings []reading
}

// reading is a value that is read when the metrics are.
type reading struct {
	kind, name, help string
	read             func() float64
}

const namespace = "astrolabe_"

// seconds are buckets from a cached read to a request that ran into its
// budget.
var seconds = []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30}

// NewMetrics makes the measurements, together with those of the Go runtime
// and of the process.
func NewMetrics() *Metrics {
	return &Metrics{
		requests:       newFamily("counter", "http_requests_total", "Requests answered, by route template, method and status.", "method", "route", "status"),
		requestSeconds: histogram("http_request_seconds", "Time to answer a request, by route template.", "route"),
		statements:     newFamily("counter", "sql_statements_total", "SQL statements run, by name and outcome.", "name", "outcome"),
		statementTime:  histogram("sql_statement_seconds", "Time of a SQL statement, by name.", "name"),
		jobs:           newFamily("counter", "jobs_total", "Background jobs run, by kind and outcome.", "kind", "outcome"),
		jobSeconds:     histogram("job_seconds", "Time of a background job, by kind.", "kind"),
		headBlock:      newFamily("gauge", "index_head_block", "The node's newest block as the index last saw it.", "chain"),
		indexedBlock:   newFamily("gauge", "index_block", "The newest block that the index holds.", "chain"),
		indexedEvents:  newFamily("counter", "index_events_total", "Events that the index stored.", "chain"),
		indexState:     newFamily("gauge", "index_state", "1 for the state in which the index of a chain is.", "chain", "state"),
	}
}

// Handler serves the metrics in Prometheus' text format.
func (m *Metrics) Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", pageType)
		_, _ = w.Write(m.page())
	})
}

func (m *Metrics) page() []byte {
	var p page
	for _, f := range []*family{
		m.requests, m.requestSeconds, m.statements, m.statementTime,
		m.jobs, m.jobSeconds, m.headBlock, m.indexedBlock, m.indexedEvents, m.indexState,
	} {
		f.write(&p)
	}
	m.mu.Lock()
	for _, r := range m.readings {
		p.reading(r.kind, r.name, r.help, r.read())
	}
	m.mu.Unlock()
	writeRuntime(&p)
	writeProcess(&p)
	return p.text
}

// Request counts one answered request. Route is the template, never the path.
func (m *Metrics) Request(route, method string, status int, took time.Duration) {
	m.requests.inc(values{method, route, strconv.Itoa(status)})
	m.requestSeconds.observe(values{route}, took.Seconds())
}

// Statement counts one SQL statement.
func (m *Metrics) Statement(name string, err error, took time.Duration) {
	m.statements.inc(values{name, outcome(err)})
	m.statementTime.observe(values{name}, took.Seconds())
}

// Job counts one run of a background job.
func (m *Metrics) Job(kind string, err error, took time.Duration) {
	m.jobs.inc(values{kind, outcome(err)})
	m.jobSeconds.observe(values{kind}, took.Seconds())
}

// HeadBlock records the newest block that a chain's node has told of.
func (m *Metrics) HeadBlock(chain string, number uint64) {
	m.headBlock.set(values{chain}, float64(number))
}

// IndexedBlock records the newest block that the index of a chain holds.
func (m *Metrics) IndexedBlock(chain string, number uint64) {
	m.indexedBlock.set(values{chain}, float64(number))
}

// IndexedEvents counts events that the index of a chain stored.
func (m *Metrics) IndexedEvents(chain string, events int) {
	m.indexedEvents.add(values{chain}, float64(events))
}

// IndexState records the one state in which a chain's index is.
func (m *Metrics) IndexState(chain, state string) {
	m.indexState.replace(values{chain, state}, 1)
}

// Gauge registers a value that is read when the metrics are. A name may be
// registered once.
func (m *Metrics) Gauge(name, help string, read func() float64) {
	m.register(reading{"gauge", namespace + name, help, read})
}

// Counter registers a value that only grows and is read when the metrics are.
// A name may be registered once.
func (m *Metrics) Counter(name, help string, read func() float64) {
	m.register(reading{"counter", namespace + name, help, read})
}

func (m *Metrics) register(r reading) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if slices.ContainsFunc(m.readings, func(other reading) bool { return other.name == r.name }) {
		panic("the metric " + r.name + " is registered twice")
	}
	m.readings = append(m.readings, r)
}

func histogram(name, help string, labels ...string) *family {
	f := newFamily("histogram", name, help, labels...)
	f.bounds = seconds
	return f
}

func outcome(err error) string {
	if err != nil {
		return "error"
	}
	return "ok"
}
