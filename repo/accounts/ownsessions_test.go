package accounts

import (
	"testing"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/account"
)

// signIn creates a session and returns it with its caller.
func (p *process) signIn(workspace, subject string, idle time.Duration) (account.Session, *account.Caller) {
	p.Helper()
	session, token, err := p.sessions.CreateWithIdle(p.Context(), p.workspace(workspace).ID, subject, 12*time.Hour, idle, operator)
	if err != nil {
		p.Fatal(err)
	}
	caller, err := p.sessions.Authenticate(p.Context(), token.Reveal())
	if err != nil {
		p.Fatal(err)
	}
	return session, caller
}

func (p *process) own(caller *account.Caller) (ids map[string]bool, truncated bool) {
	p.Helper()
	list, truncated, err := p.sessions.Own(p.Context(), caller)
	if err != nil {
		p.Fatal(err)
	}
	ids = make(map[string]bool)
	for _, session := range list {
		ids[session.ID] = true
	}
	return ids, truncated
}

// TestSessionOfAnotherWorkspaceCannotBeEnded uses one subject in two workspaces,
// as the operator's CLI does by default.
func TestSessionOfAnotherWorkspaceCannotBeEnded(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	theirs, them := p.signIn("globex", "operator", 0)
	ours, us := p.signIn("acme", "operator", 0)
	if _, err := p.sessions.EndOwn(t.Context(), us, theirs.ID); domain.CodeOf(err) != domain.CodeNotFound {
		t.Errorf("a session of another workspace: got %v, want %s", err, domain.CodeNotFound)
	}
	if ids, _ := p.own(them); len(ids) != 1 || !ids[theirs.ID] {
		t.Errorf("the other workspace: got the sessions %v, want %s alone", ids, theirs.ID)
	}
	if ended, err := p.sessions.EndOwn(t.Context(), us, ours.ID); err != nil || ended.RevokedAt == nil {
		t.Errorf("their own session: got %+v and %v, want it revoked", ended, err)
	}
}

func TestListOfMoreThanAHundredSessionsIsTruncated(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	var caller *account.Caller
	for n := 1; n <= account.ListedSessions+1; n++ {
		_, caller = p.signIn("acme", "ada", 0)
		if n < account.ListedSessions {
			continue
		}
		ids, truncated := p.own(caller)
		if want := n > account.ListedSessions; len(ids) != account.ListedSessions || truncated != want {
			t.Errorf("%d sessions: got %d listed, truncated %t, want %d, truncated %t", n, len(ids), truncated, account.ListedSessions, want)
		}
	}
}

func TestSessionThatWasIdleForTooLongIsNotListed(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	const idle = time.Hour
	p.signIn("acme", "ada", idle)
	kept, caller := p.signIn("acme", "ada", 0)
	if ids, _ := p.own(caller); len(ids) != 2 {
		t.Fatalf("at first: got the sessions %v, want 2", ids)
	}
	p.later(idle + 2*account.UseEvery)
	if ids, _ := p.own(caller); len(ids) != 1 || !ids[kept.ID] {
		t.Errorf("after the idle time: got the sessions %v, want %s alone", ids, kept.ID)
	}
}
