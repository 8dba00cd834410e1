package pace

import (
	"math"
	"sync"
)

// Limits hold the pacers of upstreams by their URLs. Pools that share Limits
// share the calls that an upstream allows.
type Limits struct {
	perSecond float64

	mu     sync.Mutex
	pacers map[string]*Pacer
}

// NewLimits returns limits without any pacer. Every upstream gets at most so many
// calls per second; zero means no limit besides that of the upstream.
func NewLimits(callsPerSecond float64) *Limits {
	if callsPerSecond <= 0 {
		callsPerSecond = math.Inf(1)
	}
	return &Limits{perSecond: callsPerSecond, pacers: map[string]*Pacer{}}
}

// Of returns the pacer of an upstream, which may have so many calls in flight.
// The highest number that any caller passes applies.
func (l *Limits) Of(url string, concurrent int) *Pacer {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := l.pacers[url]
	if p == nil {
		p = newPacer(l.perSecond)
		l.pacers[url] = p
	}
	p.allow(concurrent)
	return p
}
