package account

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"regexp"
	"strings"
	"testing"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/secret"
)

// shelf keeps sealed secrets in memory; the real store is tested with repo.
type shelf struct{ rows []secret.Sealed }

func (s *shelf) Secrets(context.Context) ([]secret.Sealed, error) { return s.rows, nil }

func (s *shelf) AddSecret(_ context.Context, row secret.Sealed, olderUntil time.Time) (bool, error) {
	for i := range s.rows {
		if s.rows[i].Purpose == row.Purpose && s.rows[i].HonouredUntil.IsZero() {
			s.rows[i].HonouredUntil = olderUntil
		}
	}
	s.rows = append(s.rows, row)
	return true, nil
}

func (s *shelf) ForgetSecrets(context.Context, time.Time) (int, error) {
	return 0, errors.New("nothing is forgotten here")
}

func newRing(t testing.TB) *secret.Ring {
	t.Helper()
	ring, err := secret.Open(t.Context(), &shelf{}, secret.NewMaster())
	if err != nil {
		t.Fatal(err)
	}
	return ring
}

const page = "https://explorer.example"

var client = netip.MustParseAddr("203.0.113.7")

func TestFirstPartyTokenIsBoundToItsOriginClientAndHour(t *testing.T) {
	t.Parallel()
	ring, now := newRing(t), time.Now()
	clock := func() time.Time { return now }
	tokens := NewFirstParty(ring, clock)
	issued, expires := tokens.Issue(page, client)
	good := issued.Reveal()
	caller, err := tokens.Authenticate(t.Context(), good, page, client)
	if err != nil || caller.Kind != ByFirstParty || caller.Subject != client.String() || caller.Workspace != "" {
		t.Fatalf("got %+v and %v, want %s of %s without a workspace", caller, err, ByFirstParty, client)
	}
	for _, p := range Permissions {
		if caller.May(p) != (p == Read) {
			t.Errorf("a page's permission %s: got %v, want %v", p, caller.May(p), p == Read)
		}
	}
	elsewhere := signer{kind: "svb", ring: ring, now: clock}.sign(expires, "", page, client.String()).Reveal()
	for name, try := range map[string]struct {
		token, origin string
		client        netip.Addr
	}{
		"no token":           {"", page, client},
		"another origin":     {good, "https://evil.example", client},
		"another client":     {good, page, netip.MustParseAddr("203.0.113.8")},
		"another purpose":    {elsewhere, page, client},
		"purpose renamed":    {"svf" + strings.TrimPrefix(elsewhere, "svb"), page, client},
		"another deployment": {revealed(NewFirstParty(newRing(t), clock).Issue(page, client)), page, client},
		"one letter off":     {tampered(good), page, client},
		"cut":                {good[:len(good)-1], page, client},
		"padded":             {good + "=", page, client},
		"line break":         {good + "\n", page, client},
	} {
		if _, err := tokens.Authenticate(t.Context(), try.token, try.origin, try.client); domain.CodeOf(err) != domain.CodeUnauthorized {
			t.Errorf("%s: got %v, want %s", name, err, domain.CodeUnauthorized)
		}
	}
	now = expires.Add(-time.Nanosecond)
	if _, err := tokens.Authenticate(t.Context(), good, page, client); err != nil {
		t.Errorf("just before its end: got %v, want no error", err)
	}
	now = expires
	if _, err := tokens.Authenticate(t.Context(), good, page, client); domain.CodeOf(err) != domain.CodeUnauthorized {
		t.Errorf("expired: got %v, want %s", err, domain.CodeUnauthorized)
	}
}

func revealed(token SignedText, _ time.Time) string { return token.Reveal() }

// tampered changes one bit of a token.
func tampered(token string) string {
	kind, encoded, _ := strings.Cut(token, "_")
	raw, _ := base64.RawURLEncoding.DecodeString(encoded)
	raw[3] ^= 1 // within the expiry
	return kind + "_" + base64.RawURLEncoding.EncodeToString(raw)
}

func TestClientIsAnAddressOrAnIPv6Network(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"203.0.113.7":          "203.0.113.7",
		"::ffff:203.0.113.7":   "203.0.113.7",
		"2001:db8:1:2:3:4:5:6": "2001:db8:1:2::/64",
		"fe80::1%eth0":         "fe80::/64",
	} {
		if got := ClientName(netip.MustParseAddr(text)); got != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
}

func TestSignedTokensSurviveAKeyRotationWithinItsOverlap(t *testing.T) {
	t.Parallel()
	ring := newRing(t)
	tokens := NewFirstParty(ring, time.Now)
	old := revealed(tokens.Issue(page, client))
	if _, err := ring.Rotate(t.Context(), secret.Session, time.Hour); err != nil {
		t.Fatal(err)
	}
	if _, err := tokens.Authenticate(t.Context(), old, page, client); err != nil {
		t.Errorf("within the overlap: got %v, want no error", err)
	}
	fresh := revealed(tokens.Issue(page, client))
	if _, err := ring.Rotate(t.Context(), secret.Session, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := tokens.Authenticate(t.Context(), fresh, page, client); err == nil {
		t.Error("got a token accepted after a rotation without overlap, want it rejected")
	}
}

func TestTokensNeverPrintTheirSecrets(t *testing.T) {
	t.Parallel()
	session := newSessionText()
	signed, _ := NewFirstParty(newRing(t), time.Now).Issue(page, client)
	hash := Hash("HASHHASHHASHHASH")
	bearer := Bearer{Text: signed}
	var log strings.Builder
	for _, handler := range []slog.Handler{slog.NewTextHandler(&log, nil), slog.NewJSONHandler(&log, nil)} {
		slog.New(handler).Info("x", "session", session, "signed", signed, "bearer", bearer, "hash", hash, "key", Key{Hash: hash}, "row", Session{Hash: hash})
	}
	encoded, err := json.Marshal([]any{session, signed, bearer, hash, Key{Hash: hash}, Session{Hash: hash}})
	if err != nil {
		t.Fatal(err)
	}
	all := log.String() + string(encoded)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		all += fmt.Sprintf(verb, []any{session, signed, bearer, hash, Key{Hash: hash}, Session{Hash: hash}, &session, &signed})
	}
	for _, tell := range []string{session.secret[:8], signed.Reveal()[8:20], "HASHHASH", "4841534", base64.StdEncoding.EncodeToString(hash)[:8]} {
		if strings.Contains(all, tell) {
			t.Errorf("got %q in %s, want it masked", tell, all)
		}
	}
}

func TestTokensFitInACookieAndAHeader(t *testing.T) {
	t.Parallel()
	signed, _ := NewFirstParty(newRing(t), time.Now).Issue(page, client)
	for form, text := range map[string]string{
		`^svs_[a-z0-9]{20}_[A-Za-z0-9]{49}$`: newSessionText().Reveal(),
		`^svf_[A-Za-z0-9_-]{40,200}$`:        signed.Reveal(),
	} {
		if !regexp.MustCompile(form).MatchString(text) {
			t.Errorf("got %s, want the form %s", text, form)
		}
	}
}

func FuzzParseSessionText(f *testing.F) {
	f.Add(newSessionText().Reveal())
	f.Add("svs__")
	f.Fuzz(func(t *testing.T, text string) {
		if token, err := ParseSessionText(text); err == nil && token.Reveal() != text {
			t.Errorf("got %q, want %q", token.Reveal(), text)
		}
	})
}

func FuzzSignedText(f *testing.F) {
	ring := newRing(f)
	tokens := NewFirstParty(ring, time.Now)
	good, _ := tokens.Issue(page, client)
	f.Add(good.Reveal())
	f.Add("svf_")
	f.Add("svf_AQEB")
	f.Fuzz(func(t *testing.T, text string) {
		if _, ok := tokens.signer.open(t.Context(), text, page, client.String()); ok && text != good.Reveal() {
			t.Errorf("got %q accepted, want only the token itself", text)
		}
	})
}

func FuzzParseSigned(f *testing.F) {
	f.Add([]byte{1, 1, 1, 'x'})
	f.Add([]byte{1, 0xff})
	f.Fuzz(func(t *testing.T, body []byte) {
		generation, expires, payload, ok := parseSigned(body)
		if ok && (expires < 0 || len(payload)+3 > len(body)) {
			t.Errorf("%x: got %d, %d and %q, want an expiry from 0 on and no more than the body", body, generation, expires, payload)
		}
	})
}
