package rest

import (
	"net/http"
	"testing"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/account"
	accountroutes "astrolabe/rest/accounts"
)

// signsIn creates a session and returns its id and its header.
func (s *service) signsIn(subject string) (id, bearer string) {
	s.t.Helper()
	session, token, err := s.access.Gate.Sessions.Create(s.t.Context(), s.access.Workspace.ID, subject, time.Hour, account.Operator("test"))
	if err != nil {
		s.t.Fatal(err)
	}
	return session.ID, "Bearer " + token.Reveal()
}

func TestUserListsAndEndsTheirOwnSessions(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	laptop, bearer := s.signsIn("ada")
	phone, phoneBearer := s.signsIn("ada")
	s.signsIn("bob")
	list := decodeBody[accountroutes.OwnSessionListBody](t, s.askWith(http.MethodGet, "/v1/me/sessions", "Authorization", bearer))
	if len(list.Items) != 2 || list.Truncated || list.Items[0].SessionID != phone || list.Items[0].Current ||
		list.Items[1].SessionID != laptop || !list.Items[1].Current {
		t.Errorf("got %+v, want the sessions %s and %s, the second one current", list, phone, laptop)
	}
	ended := decodeBody[accountroutes.OwnSessionBody](t, s.askWith(http.MethodDelete, "/v1/me/sessions/"+phone, "Authorization", bearer))
	if ended.SessionID != phone || ended.RevokedAt == nil {
		t.Errorf("got %+v, want %s revoked", ended, phone)
	}
	requireFailure(t, s.askWith(http.MethodGet, "/v1/me/sessions", "Authorization", phoneBearer), http.StatusUnauthorized, domain.CodeUnauthorized)
	list = decodeBody[accountroutes.OwnSessionListBody](t, s.askWith(http.MethodGet, "/v1/me/sessions", "Authorization", bearer))
	if len(list.Items) != 1 || list.Items[0].SessionID != laptop {
		t.Errorf("after the end of %s: got %+v, want %s", phone, list, laptop)
	}
}

func TestSessionOfSomebodyElseIsNotFound(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	_, bearer := s.signsIn("ada")
	theirs, theirBearer := s.signsIn("bob")
	for _, id := range []string{theirs, "ses_aaaaaaaaaaaaaaaaaaaa", "x"} {
		requireFailure(t, s.askWith(http.MethodDelete, "/v1/me/sessions/"+id, "Authorization", bearer), http.StatusNotFound, domain.CodeNotFound)
	}
	if a := s.askWith(http.MethodGet, "/v1/me/sessions", "Authorization", theirBearer); a.StatusCode != http.StatusOK {
		t.Errorf("got status %d with %s, want the session of the other person kept", a.StatusCode, a.body)
	}
}
