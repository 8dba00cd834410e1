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
	// failuresEach is how many attempts to be recognised may fail in a minute
	// for one client address. Behind an address there can be many clients.
	failuresEach = 120
	// failuresKept bounds the addresses whose failures are counted.
	failuresKept = 20_000
)

// Failures counts the attempts to be recognised that fail, by client address
// (an IPv6 client by its /64), so that nobody tries without end. It counts in
// one process, and forgets old addresses when there are very many.
type Failures struct {
	now func() time.Time

	mu     sync.Mutex // held from looking at a meter to changing it
	meters *simplelru.LRU[string, account.Meter]
}

// NewFailures makes a count by a clock.
func NewFailures(now func() time.Time) *Failures {
	return &Failures{now: now, meters: cache.Must(simplelru.NewLRU[string, account.Meter](failuresKept, nil))}
}

// any tells whether there are failures at all. A nil count has none.
func (f *Failures) any() bool {
	if f == nil {
		return false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.meters.Len() > 0
}

// refuses is rate_limited while a client's attempts have failed too often.
func (f *Failures) refuses(client netip.Addr) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	meter, _ := f.meters.Get(account.ClientName(client))
	_, decision := failureRate.Take(meter, f.now(), 1)
	return refusal(decision)
}

// note counts one more failure. It is rate_limited when there were too many
// before. A nil count never is.
func (f *Failures) note(client netip.Addr) error {
	if f == nil {
		return nil
	}
	name := account.ClientName(client)
	f.mu.Lock()
	defer f.mu.Unlock()
	meter, _ := f.meters.Get(name)
	meter, decision := failureRate.Take(meter, f.now(), 1)
	f.meters.Add(name, meter)
	return refusal(decision)
}

var failureRate = account.Rate{Class: "authentication", Limit: failuresEach}

// tooOften is a refusal of a client that has failed too often.
type tooOften struct {
	cause    *domain.Error
	decision account.Decision
}

// Error returns the text of the domain's error.
func (e *tooOften) Error() string { return e.cause.Error() }

// Unwrap makes the error one of the domain.
func (e *tooOften) Unwrap() error { return e.cause }

func refusal(d account.Decision) error {
	if d.Allowed {
		return nil
	}
	cause := domain.Errorf(domain.CodeRateLimited, "Too many failed authentications from this IP address: the limit is %d per 60 s. Retry after the delay in Retry-After, with a valid credential.", d.Limit)
	cause.RetryAfter = d.RetryAfter
	return &tooOften{cause, d}
}

// attempt checks a credential. Where a client has failed too often, only what
// the check knows already is looked at: it costs nothing, and whoever shares an
// address with the client is not shut out.
func (g *Gate) attempt(r *http.Request, known func() bool, check func() (*account.Caller, error)) (*account.Caller, error) {
	if g.Failures.any() {
		if err := g.Failures.refuses(g.Client(r)); err != nil && !known() {
			return nil, err
		}
	}
	caller, err := check()
	if err != nil && domain.CodeOf(err) == domain.CodeUnauthorized {
		if tooMany := g.Failures.note(g.Client(r)); tooMany != nil {
			return nil, tooMany
		}
	}
	return caller, err
}
