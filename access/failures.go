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

// Failures limits failed authentications by client address (for IPv6 by /64,
// and eight times as many by /48), so that credentials cannot be guessed. Each
// process counts by itself, and evicts the least recently used addresses.
type Failures struct {
	rate account.Rate
	now  func() time.Time

	mu     sync.Mutex // held between reading and updating a meter
	meters *simplelru.LRU[string, account.Meter]
}

// NewFailures returns a limiter that uses the given clock.
func NewFailures(now func() time.Time) *Failures { return NewFailuresOf(failureLimit, now) }

// NewFailuresOf is NewFailures with another limit per minute.
func NewFailuresOf(limit int, now func() time.Time) *Failures {
	return &Failures{
		rate: account.Rate{Class: "authentication", Limit: limit}, now: now,
		meters: cache.Must(simplelru.NewLRU[string, account.Meter](maxAddresses, nil)),
	}
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

// Check returns rate_limited while a client is over the limit.
func (f *Failures) Check(client netip.Addr) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for name, rate := range f.limits(client) {
		meter, _ := f.meters.Get(name)
		if _, decision := rate.Take(meter, f.now(), 1); !decision.Allowed {
			return limitExceeded(decision)
		}
	}
	return nil
}

// Record counts one failure. It returns rate_limited when the client was over
// the limit before. A nil limiter never does.
func (f *Failures) Record(client netip.Addr) (limited error) {
	if f == nil {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for name, rate := range f.limits(client) {
		meter, _ := f.meters.Get(name)
		meter, decision := rate.Take(meter, f.now(), 1)
		f.meters.Add(name, meter)
		if !decision.Allowed {
			limited = limitExceeded(decision)
		}
	}
	return limited
}

// limits returns the rate limits of a client by the names of their meters.
func (f *Failures) limits(client netip.Addr) map[string]account.Rate {
	name := account.ClientName(client)
	limits := map[string]account.Rate{name: f.rate}
	if network := account.NetworkOf(name); network != "" {
		limits[network] = f.rate.Shared()
	}
	return limits
}

// limitError is a denial with the decision for the pacing headers.
type limitError struct {
	cause    error
	decision account.Decision
}

// Error implements error.
func (e *limitError) Error() string { return e.cause.Error() }

// Unwrap returns the domain error.
func (e *limitError) Unwrap() error { return e.cause }

// Denied returns the error of a denied take, from which Challenge sets the pacing
// headers.
func Denied(cause error, d account.Decision) error { return &limitError{cause, d} }

func limitExceeded(d account.Decision) error {
	cause := domain.Errorf(domain.CodeRateLimited, "Too many failed authentications from this IP address: the limit is %d per 60 s. Retry after the delay in Retry-After, with a valid credential.", d.Limit)
	cause.RetryAfter = d.RetryAfter
	return Denied(cause, d)
}

// authenticate checks a credential. For a client over the failure limit it
// checks cached credentials only, so that other clients behind the same address
// are not locked out; cached reports whether the check needs no database read.
func (g *Gate) authenticate(r *http.Request, cached func() bool, check func() (*account.Caller, error)) (*account.Caller, error) {
	if g.passive {
		return check()
	}
	if g.Failures.any() {
		if err := g.Failures.Check(g.Client(r)); err != nil && !cached() {
			return nil, err
		}
	}
	caller, err := check()
	if err == nil {
		g.Sessions.Used(caller)
	}
	if err != nil && domain.CodeOf(err) == domain.CodeUnauthorized {
		if limited := g.Failures.Record(g.Client(r)); limited != nil {
			return nil, limited
		}
	}
	return caller, err
}
