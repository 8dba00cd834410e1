package accounts

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/pg/pgtest"
	"astrolabe/repo"
	"astrolabe/repo/repotest"
)

var reported = time.Date(2026, 7, 2, 12, 34, 56, 0, time.UTC)

// meter is the usage service of a process and the errors that it reported.
type meter struct {
	*testing.T
	*account.Usage
	db   *repo.DB
	mu   sync.Mutex
	errs []error
}

func newMeter(t *testing.T, db *repo.DB) *meter {
	t.Helper()
	return &meter{T: t, Usage: account.NewUsage(NewUsage(db), func() time.Time { return reported }), db: db}
}

func (m *meter) complain(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.errs = append(m.errs, err)
}

func (m *meter) complaints() []error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.errs
}

// runs starts the service. stop ends it and waits.
func (m *meter) runs() (stop func()) {
	ctx, cancel := context.WithCancel(m.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); m.Usage.Run(ctx, m.complain) }()
	return func() { cancel(); <-ended }
}

func (m *meter) report(workspace string) account.UsageReport {
	m.Helper()
	r, err := m.Report(context.WithoutCancel(m.Context()), workspace)
	if err != nil {
		m.Fatal(err)
	}
	return r
}

func (m *meter) total(workspace string) int64 { m.Helper(); return m.report(workspace).Total.Requests }

// use returns a request of the workspace that most tests use.
func use(code domain.Code) account.Use {
	return account.Use{
		At: reported, Workspace: "wsp_a", PublicID: "key", Route: "/v1/{chain}/status", Method: "GET", Class: account.Light,
		Status: 200, Code: code, RequestID: "r",
	}
}

func TestUsesAreStoredSoonWithoutAnEnd(t *testing.T) {
	t.Parallel()
	m := newMeter(t, repotest.Open(t))
	defer m.runs()()
	m.Record(use(""))
	m.Record(account.Use{At: reported, Route: "/v1/{chain}/status"}) // without a workspace
	soon(t, "the use is reported", func() bool { return m.total("wsp_a") == 1 })
	if n := m.total(""); n != 0 {
		t.Errorf("got %d requests without a workspace, want none", n)
	}
}

// TestWhatTheMemoryCannotHoldIsDroppedAndCounted blocks the writer with a
// locked table, and unblocks it afterwards.
func TestWhatTheMemoryCannotHoldIsDroppedAndCounted(t *testing.T) {
	t.Parallel()
	m := newMeter(t, repotest.Open(t))
	lock, err := m.db.Write().BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lock.ExecContext(t.Context(), "LOCK TABLE usage_hours"); err != nil {
		t.Fatal(err)
	}
	stop := m.runs()
	const many, memory = 40_000, 20_480
	for range many { // would never end if Record blocked
		m.Record(use(""))
	}
	dropped := m.Dropped()
	if dropped < many-memory {
		t.Errorf("got %d of %d uses dropped, want at least %d", dropped, many, many-memory)
	}
	soon(t, "the writer gives up for now", func() bool { return len(m.complaints()) > 0 })
	if err := lock.Rollback(); err != nil {
		t.Fatal(err)
	}
	soon(t, "what waited is stored", func() bool { return m.total("wsp_a") == many-dropped })
	m.Record(use(""))
	stop()
	if stored := m.total("wsp_a"); stored != many-dropped+1 || m.Dropped() != dropped {
		t.Errorf("got %d uses stored and %d dropped, want %d and %d", stored, m.Dropped(), many-dropped+1, dropped)
	}
}

// TestACrashLosesOnlyWhatWasNotStored closes the connections of a process, as
// its crash would.
func TestACrashLosesOnlyWhatWasNotStored(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t, repotest.Migrated)
	dying, other := newMeter(t, openTest(t, url)), newMeter(t, openTest(t, url))
	stop := dying.runs()
	for range 10 {
		dying.Record(use(""))
	}
	soon(t, "the uses are reported", func() bool { return other.total("wsp_a") == 10 })
	dying.db.Close()
	for range 5 {
		dying.Record(use(""))
	}
	stop()
	if n := other.total("wsp_a"); n != 10 {
		t.Errorf("%d uses are stored, want 10", n)
	}
	if n := dying.Dropped(); n != 5 {
		t.Errorf("%d uses are called dropped, want 5", n)
	}
}

func TestUsesThatTheDatabaseRefusesHoldUpNoOthers(t *testing.T) {
	t.Parallel()
	m := newMeter(t, repotest.Open(t))
	defer m.runs()()
	bad := use("")
	bad.Route = "\x00"
	m.Record(bad)
	soon(t, "the use is given up", func() bool { return m.Dropped() == 1 })
	m.Record(use(""))
	soon(t, "the next one is stored", func() bool { return m.total("wsp_a") == 1 })
}

// TestACommitWithoutAnswerIsNotRepeated lets the server end the connection
// during the commit: the requests might have been stored.
func TestACommitWithoutAnswerIsNotRepeated(t *testing.T) {
	t.Parallel()
	m := newMeter(t, repotest.Open(t))
	for _, statement := range []string{
		`CREATE FUNCTION leave() RETURNS trigger LANGUAGE plpgsql AS $$
			BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$`,
		`CREATE CONSTRAINT TRIGGER leave AFTER INSERT ON usage_hours DEFERRABLE INITIALLY DEFERRED
			FOR EACH ROW EXECUTE FUNCTION leave()`,
	} {
		if _, err := m.db.Write().DB.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	defer m.runs()()
	m.Record(use(""))
	soon(t, "the use is given up", func() bool { return m.Dropped() == 1 })
}

func TestACallerWithoutPauseIsCountedInFullAndKeptInPart(t *testing.T) {
	t.Parallel()
	m := newMeter(t, repotest.Open(t))
	const many = 6000 // two batches
	for i := range many {
		code := domain.CodeRateLimited
		if i%2 == 0 {
			code = ""
		}
		m.Record(use(code))
	}
	m.runs()()
	if got := m.report("wsp_a").Total; got != (account.Tally{Requests: many, Failures: many / 2}) {
		t.Errorf("got %+v, want %d requests, half of them failed", got, many)
	}
	var kept int
	if err := m.db.Write().DB.QueryRowContext(t.Context(), "SELECT count(*) FROM usage_requests").Scan(&kept); err != nil {
		t.Fatal(err)
	}
	if kept < 100 || kept > 400 {
		t.Errorf("got %d of %d requests kept, want 100 to 400", kept, many)
	}
}

func TestForgettingIsBoundedAndBeginsWithTheOldestDays(t *testing.T) {
	t.Parallel()
	m := newMeter(t, repotest.Open(t))
	midnight := reported.Truncate(24 * time.Hour)
	ages := []time.Duration{0, 24 * time.Hour, 24*time.Hour + time.Microsecond, 48*time.Hour + time.Microsecond}
	for _, age := range ages {
		u := use("")
		u.At = midnight.Add(-age)
		m.Record(u)
	}
	m.runs()()
	left := func() account.UsageReport {
		r, err := NewUsage(m.db).ReadUsage(t.Context(), "wsp_a", midnight.Add(-1000*time.Hour), 1, 10)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	for i, want := range []int{1, 1, 0} { // two are from days before yesterday
		for name, forget := range map[string]func(context.Context, time.Time, int) (int, error){
			"requests": NewUsage(m.db).ForgetRequests, "counts": NewUsage(m.db).ForgetUsage,
		} {
			if n, err := forget(t.Context(), reported.Add(-24*time.Hour), 1); err != nil || n != want {
				t.Errorf("%s: forgot %d, %v, want %d", name, n, err, want)
			}
		}
		kept := ages[:max(3-i, 2)]
		r := left()
		if r.Total.Requests != int64(len(kept)) || len(r.RecentRequests) != len(kept) {
			t.Fatalf("%d counts and %d requests are left, want %d", r.Total.Requests, len(r.RecentRequests), len(kept))
		}
		for place, age := range kept {
			if at := r.RecentRequests[place].At; !at.Equal(midnight.Add(-age)) {
				t.Errorf("one of %v is left, want one of %v", at, midnight.Add(-age))
			}
		}
	}
}

// TestEveryStatementOfUsageReadsItsIndex checks the plans with many workspaces,
// of which one is read.
func TestEveryStatementOfUsageReadsItsIndex(t *testing.T) {
	t.Parallel()
	db := repotest.Open(t)
	for _, statement := range []string{
		`INSERT INTO usage_requests (at, workspace, public_id, route, method, class, status, code, request_id, took_us)
			SELECT $1::timestamptz - n * interval '1 s', 'wsp_' || n % 50, 'key' || n % 100, '/v1', 'GET', 'light', 200,
				CASE WHEN n % 7 = 0 THEN 'not_found' ELSE '' END, 'r', 1 FROM generate_series(1, 30000) n`,
		`INSERT INTO usage_hours (workspace, hour, public_id, route, class, code, requests, last_at)
			SELECT 'wsp_' || w, date_trunc('hour', $1::timestamptz) - h * interval '1 hour', 'key' || k, '/v1', 'light', '', 1, $1
			FROM generate_series(0, 19) w, generate_series(0, 300) h, generate_series(1, 5) k`,
	} {
		if _, err := db.Write().DB.ExecContext(t.Context(), statement, reported); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := db.Write().DB.ExecContext(t.Context(), "ANALYZE usage_requests, usage_hours"); err != nil {
		t.Fatal(err)
	}
	usage := NewUsage(db)
	statements := repotest.Recorded(t, db, func() {
		_, read := usage.ReadUsage(t.Context(), "wsp_10", reported.Add(-24*time.Hour), 50, 50)
		_, requests := usage.ForgetRequests(t.Context(), reported.Add(-400*24*time.Hour), 5000)
		_, hours := usage.ForgetUsage(t.Context(), reported.Add(-400*24*time.Hour), 5000)
		if err := errors.Join(read, requests, hours); err != nil {
			t.Fatal(err)
		}
	})
	for _, c := range []struct {
		statement string
		index     string
		ordered   bool // by the index
	}{
		{"usage.total", "usage_hours_pkey", false},
		{"usage.keys", "usage_hours_pkey", false},
		{"usage.parts", "usage_hours_pkey", false},
		{"usage.requests", "usage_requests_newest", true},
		{"usage.failures", "usage_requests_failed", true},
		{"usage.forget_requests", "usage_requests_day", true},
		{"usage.forget_hours", "usage_hours_day", true},
	} {
		plan := repotest.Explain(t, db, statements[c.statement])
		if !strings.Contains(plan, c.index) || strings.Contains(plan, "Seq Scan on usage") || c.ordered && strings.Contains(plan, "Sort") {
			t.Errorf("%s: got the plan\n%s\nwant a scan of %s without a sort", c.statement, plan, c.index)
		}
	}
}
