package access

import (
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"astrolabe/cache"
	"astrolabe/domain"
	"astrolabe/domain/account"
)

const (
	// failureLimit is the number of failed authentications per minute for one
	// client address. Many clients can share an address.
	failureLimit = 120
	// maxAddresses bounds the addresses whose failures are counted.
	maxAddresses = 20_000
)

// Failures limits failed authentications by client address (by /64 for IPv6),
// so that credentials cannot be guessed. Each process counts by itself, and
// evicts the least recently used addresses.
type Failures struct {
	now func() time.Time

	mu     sync.Mutex // held between reading and updating a meter
	meters *simplelru.LRU[string, account.Meter]
}

// NewFailures returns a limiter that uses the given clock.
func NewFailures(now func() time.Time) *Failures {
	return &Failures{now: now, meters: cache.Must(simplelru.NewLRU[string, account.Meter](maxAddresses, nil))}
}

// any reports whether any failure is recorded. A nil limiter has none.
func (f *Failures) any() bool {
	if f == nil {
		return false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.meters.Len() > 0
}

// check returns rate_limited while a client is over the limit.
func (f *Failures) check(client netip.Addr) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	meter, _ := f.meters.Get(account.ClientName(client))
	_, decision := failureRate.Take(meter, f.now(), 1)
	return limitExceeded(decision)
}

// record counts one failure. It returns rate_limited when the client was over
// the limit before. A nil limiter never does.
func (f *Failures) record(client netip.Addr) error {
	if f == nil {
		return nil
	}
	name := account.ClientName(client)
	f.mu.Lock()
	defer f.mu.Unlock()
	meter, _ := f.meters.Get(name)
	meter, decision := failureRate.Take(meter, f.now(), 1)
	f.meters.Add(name, meter)
	return limitExceeded(decision)
}

var failureRate = account.Rate{Class: "authentication", Limit: failureLimit}

// failureLimitError is rate_limited with the decision for the pacing headers.
type failureLimitError struct {
	cause    *domain.Error
	decision account.Decision
}

// Error implements error.
func (e *failureLimitError) Error() string { return e.cause.Error() }

// Unwrap returns the domain error.
func (e *failureLimitError) Unwrap() error { return e.cause }

func limitExceeded(d account.Decision) error {
	if d.Allowed {
		return nil
	}
	cause := domain.Errorf(domain.CodeRateLimited, "Too many failed authentications from this IP address: the limit is %d per 60 s. Retry after the delay in Retry-After, with a valid credential.", d.Limit)
	cause.RetryAfter = d.RetryAfter
	return &failureLimitError{cause, d}
}

// authenticate checks a credential. For a client over the failure limit it
// checks cached credentials only, so that other clients behind the same address
// are not locked out; cached reports whether the check needs no database read.
func (g *Gate) authenticate(r *http.Request, cached func() bool, check func() (*account.Caller, error)) (*account.Caller, error) {
	if g.Failures.any() {
		if err := g.Failures.check(g.Client(r)); err != nil && !cached() {
			return nil, err
		}
	}
	caller, err := check()
	if err != nil && domain.CodeOf(err) == domain.CodeUnauthorized {
		if limited := g.Failures.record(g.Client(r)); limited != nil {
			return nil, limited
		}
	}
	return caller, err
}
