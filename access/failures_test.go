package access

import (
	"errors"
	"fmt"
	"net/netip"
	"testing"
	"time"

	"astrolabe/domain"
)

func TestFailuresOfOneAddressAreBounded(t *testing.T) {
	t.Parallel()
	now := time.Now()
	f := NewFailures(func() time.Time { return now })
	guesser, other := netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("192.0.2.2")
	for i := range 120 {
		if err := errors.Join(f.refuses(guesser), f.note(guesser)); err != nil {
			t.Fatalf("failure %d: got %v, want no error", i+1, err)
		}
	}
	for name, err := range map[string]error{"refuses": f.refuses(guesser), "note": f.note(guesser)} {
		refused, ok := errors.AsType[*domain.Error](err)
		if !ok || refused.Code != domain.CodeRateLimited || refused.RetryAfter != 500*time.Millisecond {
			t.Errorf("%s: got %v, want %s with a retry after 500ms", name, err, domain.CodeRateLimited)
		}
	}
	if err := errors.Join(f.refuses(other), f.note(other)); err != nil {
		t.Errorf("another address: got %v, want no error", err)
	}
	now = now.Add(500 * time.Millisecond)
	if err := errors.Join(f.refuses(guesser), f.note(guesser)); err != nil {
		t.Errorf("after the delay: got %v, want no error", err)
	}
	if err := f.refuses(guesser); err == nil {
		t.Error("the next one is let through, want it refused")
	}
}

func TestAnIPv6ClientIsItsNetwork(t *testing.T) {
	t.Parallel()
	now := time.Now()
	f := NewFailures(func() time.Time { return now })
	for i := range 120 {
		if err := f.note(netip.MustParseAddr(fmt.Sprintf("2001:db8::%x", i+1))); err != nil {
			t.Fatal(err)
		}
	}
	for address, want := range map[string]bool{"2001:db8::ffff": true, "2001:db8:0:1::1": false} {
		if err := f.refuses(netip.MustParseAddr(address)); (err != nil) != want {
			t.Errorf("%s: got %v, want it refused %t, as its /64 is", address, err, want)
		}
	}
}

func TestTheMemoryOfFailuresIsBounded(t *testing.T) {
	t.Parallel()
	now := time.Now()
	f := NewFailures(func() time.Time { return now })
	address := netip.MustParseAddr("10.0.0.0")
	for range 20_010 {
		if err := f.note(address); err != nil {
			t.Fatal(err)
		}
		address = address.Next()
	}
	if n := f.meters.Len(); n != 20_000 {
		t.Errorf("%d addresses are remembered, want 20000", n)
	}
}
