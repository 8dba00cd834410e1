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
	for i := range failureLimit {
		if err := errors.Join(f.check(guesser), f.record(guesser)); err != nil {
			t.Fatalf("failure %d: %v", i+1, err)
		}
	}
	for name, err := range map[string]error{"check": f.check(guesser), "record": f.record(guesser)} {
		refused, ok := errors.AsType[*domain.Error](err)
		if !ok || refused.Code != domain.CodeRateLimited || refused.RetryAfter != 500*time.Millisecond {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := errors.Join(f.check(other), f.record(other)); err != nil {
		t.Errorf("another address: %v", err)
	}
	now = now.Add(500 * time.Millisecond)
	if err := errors.Join(f.check(guesser), f.record(guesser)); err != nil {
		t.Errorf("after the delay: %v", err)
	}
	if err := f.check(guesser); err == nil {
		t.Error("the next one is let through")
	}
}

func TestAnIPv6ClientIsItsNetwork(t *testing.T) {
	t.Parallel()
	now := time.Now()
	f := NewFailures(func() time.Time { return now })
	for i := range failureLimit {
		if err := f.record(netip.MustParseAddr(fmt.Sprintf("2001:db8::%x", i+1))); err != nil {
			t.Fatal(err)
		}
	}
	if f.check(netip.MustParseAddr("2001:db8::ffff")) == nil || f.check(netip.MustParseAddr("2001:db8:0:1::1")) != nil {
		t.Error("the /64 is not what counts")
	}
}

func TestTheMemoryOfFailuresIsBounded(t *testing.T) {
	t.Parallel()
	now := time.Now()
	f := NewFailures(func() time.Time { return now })
	address := netip.MustParseAddr("10.0.0.0")
	for range maxAddresses + 10 {
		if err := f.record(address); err != nil {
			t.Fatal(err)
		}
		address = address.Next()
	}
	if n := f.meters.Len(); n != maxAddresses {
		t.Errorf("%d addresses are remembered", n)
	}
}
