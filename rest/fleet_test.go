package rest

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"astrolabe/access"
	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/chain"
	"astrolabe/domain/explorer"
	"astrolabe/domain/secret"
	"astrolabe/pg/pgtest"
	"astrolabe/repo"
	"astrolabe/repo/accounts"
	"astrolabe/repo/onchain"
	"astrolabe/repo/repotest"
	"astrolabe/telemetry"
)

// What a process of a fleet is told by its environment.
const (
	fleetDatabase = "ASTROLABE_TEST_FLEET_DATABASE"
	fleetMaster   = "ASTROLABE_TEST_FLEET_MASTER"
	fleetTime     = "ASTROLABE_TEST_FLEET_TIME" // at which budgets stand still; empty where time passes
)

// fleet is a deployment of several operating system processes: this test
// binary, executed again, each with a listener of its own.
type fleet struct {
	*testing.T
	database, master, frozen string
	key                      string
	client                   *http.Client
	db                       *pgx.Conn

	granted, denied, lost atomic.Int64 // answers, and requests without one
	unavailable           atomic.Int64 // answers 503, whose requests may have been counted
}

// member is one process of a fleet.
type member struct {
	process *exec.Cmd
	stdin   io.Closer
	url     string
}

// newFleet makes a deployment without processes, with a key that has 240
// requests. Budgets stand still where frozen is set.
//
// In a process of a fleet it serves until the parent closes its input, and
// returns nil.
func newFleet(t *testing.T, frozen bool) *fleet {
	t.Helper()
	if os.Getenv(fleetDatabase) != "" {
		serveInFleet(t)
		return nil
	}
	master := secret.NewMaster()
	f := &fleet{
		T: t, database: pgtest.Database(t, repotest.Migrated), master: master.Reveal(),
		// Without connections that are used twice the client never asks twice.
		client: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}},
	}
	if frozen {
		f.frozen = time.Now().Format(time.RFC3339Nano)
	}
	db, ring := openFleet(t, f.database, master)
	defer db.Close()
	workspace, err := account.NewWorkspaces(accounts.NewWorkspaces(db), time.Now).Ensure(t.Context(), "fleet", account.Operator("test"))
	if err != nil {
		t.Fatal(err)
	}
	issued, err := account.NewKeys(accounts.NewKeys(db), ring, time.Now).Issue(t.Context(), workspace.ID, account.IssueRequest{
		Environment: account.Live, Permissions: []account.Permission{account.Read}, Budgets: account.Budgets{account.Light: 240},
	}, account.Operator("test"))
	if err != nil {
		t.Fatal(err)
	}
	f.key = issued.Text.Reveal()
	if f.db, err = pgx.Connect(t.Context(), f.database); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.db.Close(context.Background()) })
	return f
}

func openFleet(t *testing.T, database string, master secret.Master) (*repo.DB, *secret.Ring) {
	t.Helper()
	db, err := repo.Open(t.Context(), repo.Options{URL: database})
	if err != nil {
		t.Fatal(err)
	}
	ring, err := secret.Open(t.Context(), accounts.NewSecrets(db), master)
	if err != nil {
		t.Fatal(err)
	}
	return db, ring
}

// serveInFleet is what a process does: it says where it listens and serves
// until its input ends.
func serveInFleet(t *testing.T) {
	t.Helper()
	master, err := secret.ParseMaster(os.Getenv(fleetMaster))
	if err != nil {
		t.Fatal(err)
	}
	db, ring := openFleet(t, os.Getenv(fleetDatabase), master)
	defer db.Close()
	meters := accounts.NewQuotas(db)
	if text := os.Getenv(fleetTime); text != "" {
		at, err := time.Parse(time.RFC3339Nano, text)
		if err != nil {
			t.Fatal(err)
		}
		meters = meters.WithClock(func() time.Time { return at })
	}
	gate := &access.Gate{
		Keys: account.NewKeys(accounts.NewKeys(db), ring, time.Now), Sessions: account.NewSessions(accounts.NewSessions(db), ring, time.Now),
		FirstParty: account.NewFirstParty(ring, time.Now), Quotas: account.NewQuotas(meters, time.Now),
	}
	defer listenInFleet(t, db, gate.Keys)()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: Handler(Options{
		Logger: slog.New(slog.DiscardHandler), Metrics: telemetry.NewMetrics(), Health: new(telemetry.Health),
		Chains: []domain.Chain{domain.Mainnet}, Services: &explorer.Services{Statuses: chain.NewStatuses(onchain.NewHeads(db), time.Minute)}, Gate: gate,
	})}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	fmt.Printf("listening %s\n", listener.Addr())
	_, _ = io.Copy(io.Discard, os.Stdin)
	if err := server.Close(); err != nil {
		t.Error(err)
	}
	<-ended
}

// listenInFleet has a process hear of changed keys, so that it remembers them.
func listenInFleet(t *testing.T, db *repo.DB, keys *account.Keys) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	up, ended := make(chan struct{}, 1), make(chan struct{})
	go func() {
		defer close(ended)
		db.Listen(ctx, []string{accounts.KeyChanges}, func(_, id string) { keys.Forget(id) }, func(state bool) {
			keys.Listening(state)
			if state {
				up <- struct{}{}
			}
		})
	}()
	<-up
	return func() { cancel(); <-ended }
}

// start adds a process and waits until it listens.
func (f *fleet) start() *member {
	f.Helper()
	process := exec.Command(os.Args[0], "-test.run=^"+f.Name()+"$")
	process.Env = append(os.Environ(), fleetDatabase+"="+f.database, fleetMaster+"="+f.master, fleetTime+"="+f.frozen)
	stdin, err := process.StdinPipe()
	if err != nil {
		f.Fatal(err)
	}
	stdout, err := process.StdoutPipe()
	if err != nil {
		f.Fatal(err)
	}
	if err := process.Start(); err != nil {
		f.Fatal(err)
	}
	m := &member{process: process, stdin: stdin}
	f.Cleanup(m.kill)
	lines := bufio.NewReader(stdout)
	line, err := lines.ReadString('\n')
	address, ok := strings.CutPrefix(strings.TrimSpace(line), "listening ")
	if err != nil || !ok {
		f.Fatalf("got %q and %v from a process, want its address", line, err)
	}
	go func() { _, _ = io.Copy(io.Discard, lines) }() // what tests print
	m.url = "http://" + address
	return m
}

// kill ends a process without a chance to do anything.
func (m *member) kill() {
	_ = m.process.Process.Kill()
	_ = m.process.Wait()
}

// end lets a process finish and reports how it went.
func (f *fleet) end(members ...*member) {
	f.Helper()
	for _, m := range members {
		_ = m.stdin.Close()
		if err := m.process.Wait(); err != nil {
			f.Errorf("got %v from a process, want no error", err)
		}
	}
}

// ask sends one request and counts its outcome. One that a busy machine cannot
// serve within its time limit is sent again, a few times.
func (f *fleet) ask(m *member) {
	for range 20 {
		if f.askOnce(m) != http.StatusServiceUnavailable {
			return
		}
	}
	f.Error("got 503 twenty times, want 200 or 429")
}

// askOnce returns the status of the response; 0 without one.
func (f *fleet) askOnce(m *member) int {
	request, err := http.NewRequestWithContext(f.Context(), http.MethodGet, m.url+"/v1/SN_MAIN/status", nil)
	if err != nil {
		f.Error(err)
		return 0
	}
	request.Header.Set("X-Service-Api-Key", f.key)
	response, err := f.client.Do(request)
	if err != nil {
		f.lost.Add(1)
		return 0
	}
	_ = response.Body.Close()
	switch response.StatusCode {
	case http.StatusOK:
		f.granted.Add(1)
	case http.StatusTooManyRequests:
		f.denied.Add(1)
	case http.StatusServiceUnavailable:
		f.unavailable.Add(1)
	default:
		f.Errorf("got %s, want 200 or 429", response.Status)
	}
	return response.StatusCode
}

// rush sends requests all at once, to the processes in turn.
func (f *fleet) rush(requests int, members ...*member) {
	var (
		ready, done sync.WaitGroup
		begin       = make(chan struct{})
	)
	ready.Add(requests)
	for i := range requests {
		done.Go(func() {
			ready.Done()
			<-begin
			f.ask(members[i%len(members)])
		})
	}
	ready.Wait()
	close(begin)
	done.Wait()
}

// recorded is how many requests the database has counted.
func (f *fleet) recorded() int64 {
	f.Helper()
	var debt int64
	if err := f.db.QueryRow(f.Context(), "SELECT debt FROM quotas WHERE class = 'light'").Scan(&debt); err != nil {
		f.Fatal(err)
	}
	if debt%int64(account.Window) != 0 {
		f.Errorf("got a debt of %d, want whole requests", debt)
	}
	return debt / int64(account.Window)
}
