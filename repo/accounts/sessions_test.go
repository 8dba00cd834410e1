package accounts

import (
	"net/netip"
	"testing"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/secret"
)

func (p *process) session(lasts time.Duration) (account.Session, account.SessionText) {
	p.Helper()
	session, token, err := p.sessions.Create(p.Context(), p.workspace("acme").ID, "ada@example", lasts, operator)
	if err != nil {
		p.Fatal(err)
	}
	return session, token
}

func (p *process) bearer(token account.SessionText) account.Bearer {
	p.Helper()
	caller, err := p.sessions.AuthenticateCookie(p.Context(), token.Reveal())
	if err != nil {
		p.Fatal(err)
	}
	bearer, err := p.sessions.Bearer(p.Context(), caller)
	if err != nil {
		p.Fatal(err)
	}
	return bearer
}

func (p *process) refuses(what, text string) {
	p.Helper()
	if _, err := p.sessions.Authenticate(p.Context(), text); domain.CodeOf(err) != domain.CodeUnauthorized {
		p.Errorf("%s: got %v, want code %s", what, err, domain.CodeUnauthorized)
	}
}

func TestASessionIsRecognisedUntilItsEnd(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	session, token := p.session(time.Hour)
	bearer := p.bearer(token)
	for name, text := range map[string]string{"token": token.Reveal(), "bearer": bearer.Text.Reveal()} {
		caller, err := p.sessions.Authenticate(t.Context(), text)
		if err != nil || caller.Kind != account.BySession || caller.Workspace != session.Workspace || caller.Subject != session.ID || len(caller.Permissions) != 0 {
			t.Errorf("%s: got %+v and %v, want the session %s", name, caller, err, session.ID)
		}
	}
	if _, err := p.sessions.AuthenticateCookie(t.Context(), bearer.Text.Reveal()); domain.CodeOf(err) != domain.CodeUnauthorized {
		t.Errorf("bearer token as a cookie: got %v, want %s", err, domain.CodeUnauthorized)
	}
	p.later(account.BearerTime)
	p.refuses("an expired bearer", bearer.Text.Reveal())
	if _, err := p.sessions.Authenticate(t.Context(), token.Reveal()); err != nil {
		t.Errorf("within its hour: got %v, want no error", err)
	}
	p.later(time.Hour - account.BearerTime)
	p.refuses("an expired session", token.Reveal())
}

func TestABearerEndsWithItsSession(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	session, token := p.session(time.Minute)
	if bearer := p.bearer(token); bearer.ExpiresAt.After(session.ExpiresAt) {
		t.Errorf("got an expiry at %s, want it by %s with the session", bearer.ExpiresAt, session.ExpiresAt)
	}
	if _, err := p.sessions.Bearer(t.Context(), &account.Caller{Kind: account.ByKey, Subject: session.ID}); domain.CodeOf(err) != domain.CodeUnauthorized {
		t.Errorf("for a key: got %v, want %s", err, domain.CodeUnauthorized)
	}
}

func TestTokensThatOpenNoSessionAreRefused(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	_, good := p.session(time.Hour)
	_, other := p.session(time.Hour)
	wrong, unknown := other, other
	wrong.SessionID, unknown.SessionID = good.SessionID, "ses_00000000000000000000"
	page, _ := account.NewFirstParty(p.ring, p.now).Issue("https://explorer.example", netip.MustParseAddr("203.0.113.7"))
	for name, text := range map[string]string{
		"empty":          "",
		"wrong secret":   wrong.Reveal(),
		"unknown":        unknown.Reveal(),
		"a key":          p.issue(account.Read).Text.Reveal(),
		"a page's token": page.Reveal(),
		"a page's token that calls itself a bearer": "svb" + page.Reveal()[3:],
	} {
		p.refuses(name, text)
	}
}

func TestARevokedSessionEndsEverywhereWithItsBearers(t *testing.T) {
	t.Parallel()
	deployment := newAccounts(t)
	here, there := deployment.process(t), deployment.process(t)
	there.clock.Store(here.clock.Load())
	session, token := here.session(time.Hour)
	bearer := here.bearer(token)
	there.listens()
	accepts := func(text string) bool {
		_, err := there.sessions.Authenticate(t.Context(), text)
		return err == nil
	}
	if !accepts(token.Reveal()) || !accepts(bearer.Text.Reveal()) {
		t.Fatal("got the session rejected, want it accepted")
	}
	first, err := here.sessions.Revoke(t.Context(), session.ID, operator)
	if err != nil {
		t.Fatal(err)
	}
	soon(t, "the revocation arrives", func() bool { return !accepts(token.Reveal()) && !accepts(bearer.Text.Reveal()) })
	here.later(time.Minute)
	if again, err := here.sessions.Revoke(t.Context(), session.ID, operator); err != nil || !again.RevokedAt.Equal(*first.RevokedAt) {
		t.Errorf("second time: got %v and %v, want %v", again.RevokedAt, err, first.RevokedAt)
	}
	if done := here.audit("acme"); done[account.ActionSessionCreated] != 1 || done[account.ActionSessionRevoked] != 1 {
		t.Errorf("got %v in the audit log, want one created and one revoked session", done)
	}
	if _, err := here.sessions.Revoke(t.Context(), "ses_nowhere", operator); domain.CodeOf(err) != domain.CodeNotFound {
		t.Errorf("unknown session: got %v, want %s", err, domain.CodeNotFound)
	}
}

func TestANewSessionKeyWithoutOverlapSignsEverybodyOut(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	_, token := p.session(time.Hour)
	if _, err := p.ring.Rotate(t.Context(), secret.Session, time.Hour); err != nil {
		t.Fatal(err)
	}
	if _, err := p.sessions.Authenticate(t.Context(), token.Reveal()); err != nil {
		t.Errorf("within the overlap: got %v, want no error", err)
	}
	_, second := p.session(time.Hour)
	if _, err := p.ring.Rotate(t.Context(), secret.Session, 0); err != nil {
		t.Fatal(err)
	}
	p.refuses("a session of the key before", second.Reveal())
}

func TestASessionLastsThirtyDaysAtMost(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	w := p.workspace("acme").ID
	for _, lasts := range []time.Duration{0, -1, account.MaxSession + 1} {
		if _, _, err := p.sessions.Create(t.Context(), w, "ada", lasts, operator); domain.CodeOf(err) != domain.CodeInvalidRequest {
			t.Errorf("%s: got %v, want %s", lasts, err, domain.CodeInvalidRequest)
		}
	}
	if _, _, err := p.sessions.Create(t.Context(), "wsp_nowhere", "ada", time.Hour, operator); domain.CodeOf(err) != domain.CodeNotFound {
		t.Errorf("unknown workspace: got %v, want %s", err, domain.CodeNotFound)
	}
}

func TestExpiredSessionsAreForgotten(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	p.session(time.Minute)
	kept, token := p.session(time.Hour)
	forgotten, err := NewSessions(p.db).ForgetSessions(t.Context(), p.now().Add(2*time.Minute))
	if err != nil || forgotten != 1 {
		t.Errorf("got %d deleted sessions and %v, want 1", forgotten, err)
	}
	if _, err := p.sessions.Authenticate(t.Context(), token.Reveal()); err != nil {
		t.Errorf("%s: got %v, want no error", kept.ID, err)
	}
}

func TestUnusedSessionEndsAfterItsIdleTime(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	const idle = time.Hour
	session, token, err := p.sessions.CreateWithIdle(t.Context(), p.workspace("acme").ID, "ada", 12*time.Hour, idle, operator)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 { // uses keep it
		p.later(idle)
		caller, err := p.sessions.Authenticate(t.Context(), token.Reveal())
		if err != nil || caller.Until.After(session.ExpiresAt) {
			t.Fatalf("got %+v and %v, want the session until its end", caller, err)
		}
		p.sessions.Used(caller)
		if err := p.sessions.StoreUse(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	bearer := p.bearer(token)
	p.later(idle + 2*account.UseEvery)
	p.refuses("an idle session", token.Reveal())
	p.refuses("its bearer", bearer.Text.Reveal())
	if _, _, err := p.sessions.CreateWithIdle(t.Context(), session.Workspace, "ada", time.Hour, time.Minute, operator); domain.CodeOf(err) != domain.CodeInvalidRequest {
		t.Errorf("an idle time of a minute: got %v, want %s", err, domain.CodeInvalidRequest)
	}
}
