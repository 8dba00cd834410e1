package accesstest

import (
	"context"
	"net/netip"
	"testing"
	"time"

	"astrolabe/access"
	"astrolabe/domain/account"
	"astrolabe/domain/secret"
	"astrolabe/repo"
	"astrolabe/repo/accounts"
)

// Fixture is a gate with credentials for it.
type Fixture struct {
	Gate      *access.Gate
	Workspace account.Workspace
	// Key has all permissions. Keys has one key per permission that can be
	// granted.
	Key  string
	Keys map[account.Permission]string
	// Cookie is the value of a session cookie.
	Cookie string

	tb   testing.TB
	db   *repo.DB
	now  func() time.Time
	ring *secret.Ring
}

// plenty are rate limits that no ordinary test exceeds.
var plenty = account.Budgets{
	account.Light: 1_000_000, account.Heavy: 1_000_000, account.Bulk: 1_000_000, account.Query: 50_000_000,
}

// New returns a fixture whose gate uses the clock now.
func New(tb testing.TB, db *repo.DB, now func() time.Time) *Fixture {
	tb.Helper()
	ring, err := secret.Open(tb.Context(), accounts.NewSecrets(db), secret.NewMaster())
	if err != nil {
		tb.Fatal(err)
	}
	f := &Fixture{
		tb: tb, db: db, now: now, ring: ring, Keys: make(map[account.Permission]string),
		Gate: &access.Gate{
			Keys: account.NewKeys(accounts.NewKeys(db), ring, now), Sessions: account.NewSessions(accounts.NewSessions(db), ring, now),
			FirstParty: account.NewFirstParty(ring, now), Quotas: account.NewQuotas(patient{accounts.NewQuotas(db).WithClock(now)}, now),
		},
	}
	workspaces := account.NewWorkspaces(accounts.NewWorkspaces(db), now)
	if f.Workspace, err = workspaces.Ensure(tb.Context(), "test", operator); err != nil {
		tb.Fatal(err)
	}
	f.Key = f.Issue(account.IssueRequest{Permissions: account.Grantable, Budgets: plenty})
	for _, p := range account.Grantable {
		f.Keys[p] = f.Issue(account.IssueRequest{Permissions: []account.Permission{p}, Budgets: plenty})
	}
	_, text, err := f.Gate.Sessions.Create(tb.Context(), f.Workspace.ID, "somebody", time.Hour, operator)
	if err != nil {
		tb.Fatal(err)
	}
	f.Cookie = text.Reveal()
	return f
}

// patient has no timeout. The service gives up after two seconds, which would
// make tests flaky on a busy machine.
type patient struct{ accounts.Quotas }

// TakeQuotas implements account.QuotaStore.
func (p patient) TakeQuotas(ctx context.Context, takes []account.QuotaTake) ([]account.QuotaTaken, time.Time, error) {
	return p.Quotas.TakeQuotas(context.WithoutCancel(ctx), takes)
}

var operator = account.Operator("test")

// Issue issues an API key of the workspace and returns it.
func (f *Fixture) Issue(r account.IssueRequest) string {
	f.tb.Helper()
	return f.issue(f.Gate.Keys, r)
}

// IssueExpired issues an expired API key.
func (f *Fixture) IssueExpired(r account.IssueRequest) string {
	f.tb.Helper()
	past := func() time.Time { return f.now().Add(-time.Hour) }
	r.ExpiresAt = new(past().Add(time.Minute))
	return f.issue(account.NewKeys(accounts.NewKeys(f.db), f.ring, past), r)
}

// PageToken returns a page token of a client that expires after a duration, to
// the second.
func (f *Fixture) PageToken(origin string, client netip.Addr, lasts time.Duration) string {
	then := func() time.Time { return f.now().Add(lasts - account.FirstPartyTime) }
	token, _ := account.NewFirstParty(f.ring, then).Issue(origin, client)
	return token.Reveal()
}

func (f *Fixture) issue(keys *account.Keys, r account.IssueRequest) string {
	f.tb.Helper()
	if r.Environment == "" {
		r.Environment = account.Live
	}
	if r.Label == "" {
		r.Label = "test"
	}
	issued, err := keys.Issue(f.tb.Context(), f.Workspace.ID, r, operator)
	if err != nil {
		f.tb.Fatal(err)
	}
	return issued.Text.Reveal()
}
