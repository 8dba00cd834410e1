package prove_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/prove"
	"astrolabe/domain/secret"
	"astrolabe/prover"
	"astrolabe/repo"
	store "astrolabe/repo/prove"
	"astrolabe/repo/repotest"
	sim "astrolabe/sim/prover"
)

// deployment is a database with the workspaces a and b, a simulated prover, and
// a clock that only the test moves.
type deployment struct {
	*testing.T
	db    *repo.DB
	conn  *pgx.Conn
	sim   *sim.Prover
	url   string
	clock atomic.Pointer[time.Time]
	keys  atomic.Pointer[[]secret.Material]
	log   logBuffer
}

// noon is when every test begins.
var noon = time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)

func newDeployment(t *testing.T) *deployment {
	t.Helper()
	d := &deployment{T: t, sim: sim.New(sim.Options{})}
	d.clock.Store(new(noon))
	d.keys.Store(&[]secret.Material{{1}})
	d.db, d.conn = repotest.Connect(t, repotest.Migrated)
	server := httptest.NewServer(d.sim)
	t.Cleanup(server.Close)
	d.url = server.URL
	for _, id := range []string{"a", "b"} {
		d.do("INSERT INTO workspaces (id, name, plan, created_at) VALUES ($1, $1, 'standard', now())", id)
	}
	return d
}

func (d *deployment) now() time.Time          { return *d.clock.Load() }
func (d *deployment) passes(by time.Duration) { d.clock.Store(new(d.now().Add(by))) }

func (d *deployment) do(statement string, args ...any) {
	d.Helper()
	if _, err := d.conn.Exec(d.Context(), statement, args...); err != nil {
		d.Fatalf("%s: %v", statement, err)
	}
}

func (d *deployment) number(expression string, args ...any) (n int) {
	d.Helper()
	if err := d.conn.QueryRow(d.Context(), "SELECT "+expression, args...).Scan(&n); err != nil {
		d.Fatalf("%s: %v", expression, err)
	}
	return n
}

// silence makes the holders of all jobs silent for so long.
func (d *deployment) silence(by time.Duration) {
	d.Helper()
	d.do("UPDATE prove_jobs SET heartbeat_at = heartbeat_at - make_interval(secs => $1)", by.Seconds())
}

// process is one process of the deployment.
type process struct {
	*prove.Relay
	d     *deployment
	moves chan prove.Status
	stop  func() // ends Run and waits for it
}

// accepts returns a process that accepts jobs and does not dispatch them.
func (d *deployment) accepts(changes ...func(*prove.Options)) *process {
	d.Helper()
	return d.on(store.NewJobs(d.db), changes...)
}

// on is accepts with another store.
func (d *deployment) on(s prove.Store, changes ...func(*prove.Options)) *process {
	d.Helper()
	upstream, err := prover.New(prover.Options{URL: d.url})
	if err != nil {
		d.Fatal(err)
	}
	p := &process{d: d, moves: make(chan prove.Status, 10_000), stop: func() {}}
	o := prove.Options{
		Keys: func() []secret.Material { return *d.keys.Load() }, Upstream: upstream, Now: d.now,
		Logger: slog.New(slog.NewTextHandler(&d.log, nil)), OnTransition: func(s prove.Status) { p.moves <- s },
	}
	for _, change := range changes {
		change(&o)
	}
	p.Relay = prove.New(s, o)
	return p
}

// runs returns a process that also dispatches.
func (d *deployment) runs(changes ...func(*prove.Options)) *process {
	d.Helper()
	return d.accepts(changes...).run()
}

func (p *process) run() *process {
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { p.Run(ctx) })
	p.stop = func() {
		cancel()
		running.Wait()
	}
	p.d.Cleanup(func() { p.stop() })
	return p
}

// awaits waits until a job of this process has moved to a status.
func (p *process) awaits(status prove.Status) {
	p.d.Helper()
	deadline, cancel := context.WithTimeout(p.d.Context(), time.Minute)
	defer cancel()
	for {
		select {
		case got := <-p.moves:
			if got == status {
				return
			}
		case <-deadline.Done():
			p.d.Fatalf("got no job that became %s, want one", status)
		}
	}
}

// key is a caller with an API key of a workspace.
func key(workspace, id string) *account.Caller {
	return &account.Caller{Kind: account.ByKey, Workspace: workspace, Subject: id, Permissions: []account.Permission{account.Prove}}
}

// idempotencyKey returns a well-formed key.
func idempotencyKey(name string) string { return name + strings.Repeat("-", 16) }

// transaction returns an invoke transaction that the simulated prover accepts.
func transaction(calldata string) string {
	return fmt.Sprintf(`{"type":"INVOKE","version":"0x3","sender_address":"0x5","calldata":["%s"],"signature":[],"nonce":"0x1","tip":"0x0",
		"resource_bounds":{"l1_gas":{"max_amount":"0x0","max_price_per_unit":"0x0"},"l2_gas":{"max_amount":"0x1","max_price_per_unit":"0x0"},"l1_data_gas":{"max_amount":"0x0","max_price_per_unit":"0x0"}},
		"paymaster_data":[],"account_deployment_data":[],"nonce_data_availability_mode":"L1","fee_data_availability_mode":"L1"}`, calldata)
}

func body(transaction string) []byte {
	return []byte(`{"block_id":{"block_number":7},"transaction":` + transaction + `}`)
}

// submits submits a transaction of workspace a, which must be accepted.
func (p *process) submits(name string) *prove.Job {
	p.d.Helper()
	job, admission, err := p.Submit(p.d.Context(), key("a", "k"), idempotencyKey(name), body(transaction("0x1")))
	if err != nil || admission != prove.Added {
		p.d.Fatalf("%s: got admission %d and %v, want a new job", name, admission, err)
	}
	return job
}

// refuses expects a submission to be refused.
func (p *process) refuses(code domain.Code, caller *account.Caller, idempotencyKey string, body []byte) *domain.Error {
	p.d.Helper()
	_, _, err := p.Submit(p.d.Context(), caller, idempotencyKey, body)
	refused, ok := err.(*domain.Error) //nolint:errorlint // services return it unwrapped
	if !ok || refused.Code != code {
		p.d.Fatalf("got %v, want %s", err, code)
	}
	return refused
}

// polls polls a job of workspace a.
func (p *process) polls(id string) (*prove.Job, *prove.Payload) {
	p.d.Helper()
	job, payload, err := p.Poll(p.d.Context(), "a", id)
	if err != nil {
		p.d.Fatal(err)
	}
	return job, payload
}

// has expects the status of a job of workspace a.
func (p *process) has(id string, status prove.Status) *prove.Job {
	p.d.Helper()
	job, err := p.Of(p.d.Context(), "a", id)
	if err != nil {
		p.d.Fatal(err)
	}
	if job.Status != status {
		p.d.Errorf("got the status %s, want %s", job.Status, status)
	}
	return job
}

// received expects how many requests the prover has read.
func (d *deployment) received(want int) {
	d.Helper()
	if got, _ := d.sim.Received(nil); got != want {
		d.Errorf("got %d requests at the prover, want %d", got, want)
	}
}

// arrives waits until the prover has read so many requests.
func (d *deployment) arrives(requests int) {
	d.Helper()
	ctx, cancel := context.WithTimeout(d.Context(), time.Minute)
	defer cancel()
	if err := d.sim.Await(ctx, requests); err != nil {
		d.Fatalf("got %v, want %d requests at the prover", err, requests)
	}
}

// logBuffer collects a log.
type logBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *logBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *logBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}
