package accounts

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"astrolabe/domain/account"
	"astrolabe/domain/secret"
	"astrolabe/pg/pgtest"
	"astrolabe/repo"
	"astrolabe/repo/repotest"
)

var operator = account.Operator("ada")

// process is one process of a deployment, with its own clock, which tests
// advance.
type process struct {
	*testing.T
	db       *repo.DB
	ring     *secret.Ring
	keys     *account.Keys
	sessions *account.Sessions
	clock    *atomic.Int64 // nanoseconds
}

// accounts is a database that several processes open.
type accounts struct {
	url    string
	master secret.Master
}

func newAccounts(t *testing.T) accounts {
	t.Helper()
	return accounts{pgtest.Database(t, repotest.Migrated), secret.NewMaster()}
}

func (a accounts) process(t *testing.T) *process {
	t.Helper()
	db := openTest(t, a.url)
	p := &process{T: t, db: db, ring: openRing(t, db, a.master), clock: new(atomic.Int64)}
	p.clock.Store(time.Now().UnixNano())
	p.keys = account.NewKeys(NewKeys(db), p.ring, p.now)
	p.sessions = account.NewSessions(NewSessions(db), p.ring, p.now)
	return p
}

func newProcess(t *testing.T) *process {
	t.Helper()
	return newAccounts(t).process(t)
}

func (p *process) now() time.Time { return time.Unix(0, p.clock.Load()) }

func (p *process) later(by time.Duration) { p.clock.Add(int64(by)) }

// listens starts a listener that runs until the test ends, and waits until it
// receives notifications.
func (p *process) listens() {
	p.Helper()
	ctx, cancel := context.WithCancel(p.Context())
	up, ended := make(chan struct{}, 1), make(chan struct{})
	go func() {
		defer close(ended)
		p.db.Listen(ctx, []string{KeyChanges, SessionChanges}, func(channel, id string) {
			if channel == KeyChanges {
				p.keys.Forget(id)
			} else {
				p.sessions.Forget(id)
			}
		}, func(state bool) {
			p.keys.Listening(state)
			p.sessions.Listening(state)
			if state {
				up <- struct{}{}
			}
		})
	}()
	p.Cleanup(func() { cancel(); <-ended })
	<-up
}

func (p *process) workspace(name string) account.Workspace {
	p.Helper()
	w, err := account.NewWorkspaces(NewWorkspaces(p.db), p.now).Ensure(p.Context(), name, operator)
	if err != nil {
		p.Fatal(err)
	}
	return w
}

// issue issues a key of the workspace acme.
func (p *process) issue(permissions ...account.Permission) account.Issued {
	p.Helper()
	issued, err := p.keys.Issue(p.Context(), p.workspace("acme").ID,
		account.IssueRequest{Environment: account.Live, Permissions: permissions}, operator)
	if err != nil {
		p.Fatal(err)
	}
	return issued
}

func (p *process) accepts(k account.KeyText) bool {
	p.Helper()
	_, err := p.keys.Authenticate(p.Context(), k.Reveal())
	return err == nil
}

// audit counts the audit log entries of a workspace by action.
func (p *process) audit(workspace string) map[account.Action]int {
	p.Helper()
	entries, err := NewAudit(p.db).List(p.Context(), p.workspace(workspace).ID, 1000)
	if err != nil {
		p.Fatal(err)
	}
	count := make(map[account.Action]int)
	for _, e := range entries {
		count[e.Action]++
	}
	return count
}

func (p *process) execute(statement string) {
	p.Helper()
	if _, err := p.db.Write().DB.ExecContext(p.Context(), statement); err != nil {
		p.Fatal(err)
	}
}

// soon waits until a condition holds.
func soon(t *testing.T, what string, holds func() bool) {
	t.Helper()
	deadline := time.Now().Add(time.Minute)
	for !holds() {
		if time.Now().After(deadline) {
			t.Fatal("timed out, want " + what)
		}
		select {
		case <-t.Context().Done():
		case <-time.After(time.Millisecond):
		}
	}
}

// TestOlderProcessesRunOnANewerSchema adds a column to each table, as a later
// release's migration may do while this release still runs.
func TestOlderProcessesRunOnANewerSchema(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	key := p.issue(account.Read)
	session, _, err := p.sessions.Create(t.Context(), key.Key.Workspace, "ada", time.Hour, operator)
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{"workspaces", "api_keys", "sessions", "audit_log", "quotas", "usage_hours", "usage_requests", "secrets"} {
		p.execute("ALTER TABLE " + table + " ADD COLUMN added_later text")
	}
	_, found := NewKeys(p.db).FindKey(t.Context(), key.Key.PublicID)
	_, signedIn := NewSessions(p.db).FindSession(t.Context(), session.ID)
	_, changed := account.NewWorkspaces(NewWorkspaces(p.db), p.now).SetPlan(t.Context(), key.Key.Workspace, account.Wallet, operator)
	_, audited := NewAudit(p.db).List(t.Context(), key.Key.Workspace, 10)
	_, used := NewUsage(p.db).ReadUsage(t.Context(), key.Key.Workspace, p.now(), 10, 10)
	_, sealed := NewSecrets(p.db).Secrets(t.Context())
	if err := errors.Join(found, signedIn, changed, audited, used, sealed); err != nil {
		t.Error(err)
	}
}
