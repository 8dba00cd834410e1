package access

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/account"
)

func TestFailedAttemptsPerAddressAreLimited(t *testing.T) {
	t.Parallel()
	now := time.Now()
	f := NewFailures(func() time.Time { return now })
	guesser, other := netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("192.0.2.2")
	for i := range 120 {
		if err := errors.Join(f.Check(guesser), f.Record(guesser)); err != nil {
			t.Fatalf("failure %d: got %v, want no error", i+1, err)
		}
	}
	for name, err := range map[string]error{"check": f.Check(guesser), "record": f.Record(guesser)} {
		refused, ok := errors.AsType[*domain.Error](err)
		if !ok || refused.Code != domain.CodeRateLimited || refused.RetryAfter != 500*time.Millisecond {
			t.Errorf("%s: got %v, want %s with a retry after 500ms", name, err, domain.CodeRateLimited)
		}
		header := http.Header{}
		Challenge(header, err, account.Read)
		if got := header.Get("X-Ratelimit-Policy"); got != "authentication;w=60" {
			t.Errorf("%s: paced by %q, want authentication;w=60", name, got)
		}
	}
	if err := errors.Join(f.Check(other), f.Record(other)); err != nil {
		t.Errorf("another address: got %v, want no error", err)
	}
	now = now.Add(500 * time.Millisecond)
	if err := errors.Join(f.Check(guesser), f.Record(guesser)); err != nil {
		t.Errorf("after the delay: got %v, want no error", err)
	}
	if err := f.Check(guesser); err == nil {
		t.Error("next attempt: got it allowed, want it blocked")
	}
}

func TestIPv6ClientsAreCountedPerNetwork(t *testing.T) {
	t.Parallel()
	now := time.Now()
	f := NewFailures(func() time.Time { return now })
	for i := range 120 {
		if err := f.Record(netip.MustParseAddr(fmt.Sprintf("2001:db8::%x", i+1))); err != nil {
			t.Fatal(err)
		}
	}
	for address, want := range map[string]bool{"2001:db8::ffff": true, "2001:db8:0:1::1": false} {
		if err := f.Check(netip.MustParseAddr(address)); (err != nil) != want {
			t.Errorf("%s: got %v, want it refused %t, as its /64 is", address, err, want)
		}
	}
}

func TestFailureCounterIsBounded(t *testing.T) {
	t.Parallel()
	now := time.Now()
	f := NewFailures(func() time.Time { return now })
	address := netip.MustParseAddr("10.0.0.0")
	for range 20_010 {
		if err := f.Record(address); err != nil {
			t.Fatal(err)
		}
		address = address.Next()
	}
	if n := f.meters.Len(); n != 20_000 {
		t.Errorf("got %d addresses, want 20000", n)
	}
}

// TestBlockedAddressIsCheckedAgainstCachedKeysOnly fails as often as allowed
// and then sends credentials that need a read and ones that do not.
func TestBlockedAddressIsCheckedAgainstCachedKeysOnly(t *testing.T) {
	t.Parallel()
	now := time.Now()
	gate := &Gate{Failures: NewFailures(func() time.Time { return now })}
	request := httptest.NewRequest(http.MethodGet, "/", nil)
	checks := 0
	attempt := func(known bool, failure error) domain.Code {
		_, err := gate.authenticate(request, func() bool { return known }, func() (*account.Caller, error) { checks++; return nil, failure })
		if err == nil {
			return ""
		}
		return domain.CodeOf(err)
	}
	wrong, away := domain.Errorf(domain.CodeUnauthorized, "no"), domain.Unavailable(time.Second, nil, "The store is down.")
	for range 200 { // a failure that is not the caller's does not count, nor does a success
		attempt(false, away)
		attempt(false, nil)
	}
	for i := range 120 {
		if got := attempt(false, wrong); got != domain.CodeUnauthorized {
			t.Fatalf("failure %d: got %q, want %q", i+1, got, domain.CodeUnauthorized)
		}
	}
	for name, c := range map[string]struct {
		known   bool
		failure error
		want    domain.Code
		checks  int
	}{
		"an unknown credential":     {false, nil, domain.CodeRateLimited, 0},
		"a known one":               {true, nil, "", 1},
		"a known one that is wrong": {true, wrong, domain.CodeRateLimited, 1},
	} {
		checks = 0
		if got := attempt(c.known, c.failure); got != c.want || checks != c.checks {
			t.Errorf("%s: got %q after %d checks, want %q after %d", name, got, checks, c.want, c.checks)
		}
	}
}

func TestGateWithoutAFailureCounterBlocksNobody(t *testing.T) {
	t.Parallel()
	gate, request := new(Gate), httptest.NewRequest(http.MethodGet, "/", nil)
	for range 200 {
		_, err := gate.authenticate(request, func() bool { return false }, func() (*account.Caller, error) {
			return nil, domain.Errorf(domain.CodeUnauthorized, "no")
		})
		if domain.CodeOf(err) != domain.CodeUnauthorized {
			t.Fatalf("got %v, want %s", err, domain.CodeUnauthorized)
		}
	}
}

func TestFailuresOfAnIPv6NetworkAreLimited(t *testing.T) {
	t.Parallel()
	now := time.Now()
	f := NewFailuresOf(2, func() time.Time { return now })
	for i := range 2 * account.NetworkShare {
		if err := f.Record(netip.MustParseAddr(fmt.Sprintf("2001:db8:1:%x::1", i))); err != nil {
			t.Fatal(err)
		}
	}
	for address, want := range map[string]bool{"2001:db8:1:ffff::1": true, "2001:db8:2::1": false} {
		if err := f.Check(netip.MustParseAddr(address)); (err != nil) != want {
			t.Errorf("%s: got %v, want it refused %t, as its /48 is", address, err, want)
		}
	}
}

func TestPassiveChecksCountNoFailures(t *testing.T) {
	t.Parallel()
	now := time.Now()
	gate := &Gate{Failures: NewFailuresOf(1, func() time.Time { return now })}
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	denied := func() (*account.Caller, error) { return nil, domain.Errorf(domain.CodeUnauthorized, "no") }
	for range 5 {
		if _, err := gate.Passive().authenticate(r, func() bool { return false }, denied); domain.CodeOf(err) != domain.CodeUnauthorized {
			t.Fatalf("got %v, want %s", err, domain.CodeUnauthorized)
		}
	}
	if gate.Failures.any() {
		t.Error("got failures counted, want none")
	}
}
