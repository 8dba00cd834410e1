package account

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"astrolabe/domain"
)

func TestLoginResumesWhenItsStateReturnsToItsBrowser(t *testing.T) {
	t.Parallel()
	ring, now := newRing(t), time.Now()
	states := NewLoginStates(nil, ring, func() time.Time { return now })
	begun, token, err := states.Begin("/docs?a=b c", "verifier-_~.")
	if err != nil {
		t.Fatal(err)
	}
	resumed, err := states.Resume(t.Context(), token.Reveal(), begun.State)
	if err != nil || resumed != begun {
		t.Errorf("got %+v and %v, want %+v", resumed, err, begun)
	}
	if !regexp.MustCompile(`^[A-Za-z0-9]{43}$`).MatchString(begun.Nonce) || begun.Verifier != "verifier-_~." || begun.Nonce == begun.State {
		t.Errorf("got %+v, want different secrets of 43 characters", begun)
	}
	other, _, err := states.Begin("/", "verifier")
	if err != nil {
		t.Fatal(err)
	}
	page, _ := NewFirstParty(ring, time.Now).Issue(begun.State, client)
	for name, try := range map[string]struct{ token, state string }{
		"no token":        {"", begun.State},
		"no state":        {token.Reveal(), ""},
		"another state":   {token.Reveal(), other.State},
		"changed token":   {tampered(token.Reveal()), begun.State},
		"another purpose": {page.Reveal(), begun.State},
	} {
		if _, err := states.Resume(t.Context(), try.token, try.state); domain.CodeOf(err) != domain.CodeInvalidRequest {
			t.Errorf("%s: got %v, want %s", name, err, domain.CodeInvalidRequest)
		}
	}
	now = now.Add(LoginTime)
	if _, err := states.Resume(t.Context(), token.Reveal(), begun.State); domain.CodeOf(err) != domain.CodeInvalidRequest {
		t.Errorf("expired: got %v, want %s", err, domain.CodeInvalidRequest)
	}
}

func TestLoginTokenFitsTheLongestReturnPath(t *testing.T) {
	t.Parallel()
	states := NewLoginStates(nil, newRing(t), time.Now)
	begun, token, err := states.Begin("/"+strings.Repeat("x", maxReturn-1), strings.Repeat("v", 43))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := states.Resume(t.Context(), token.Reveal(), begun.State); err != nil {
		t.Errorf("the longest place: got %v, want no error", err)
	}
	if _, _, err := states.Begin("/"+strings.Repeat("x", maxReturn), "verifier"); domain.CodeOf(err) != domain.CodeInvalidRequest {
		t.Errorf("a longer place: got %v, want %s", err, domain.CodeInvalidRequest)
	}
}
