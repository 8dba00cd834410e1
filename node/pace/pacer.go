package pace

import (
	"context"
	"fmt"
	"math"
	"sync"
	"time"
)

const (
	// longestPause bounds the pause that an upstream asks for.
	longestPause = 15 * time.Minute
	// firstPause follows a refusal that names no pause. It doubles with every
	// further one, up to a minute.
	firstPause   = 500 * time.Millisecond
	longestGuess = time.Minute
	// shortWait is how long an impatient call waits for its turn.
	shortWait = 2 * time.Second
	// recently is how long an upstream counts as limiting after a refusal.
	recently = 30 * time.Second
)

// LimitError means that a call was not sent, because the upstream takes none
// before a while has passed.
type LimitError struct{ RetryAfter time.Duration }

// Error implements error.
func (e *LimitError) Error() string {
	return "its rate limit allows no call before " + e.RetryAfter.Round(time.Millisecond).String() + " have passed"
}

// Verdict says how a call ended, as far as limits are concerned.
type Verdict int

// The verdicts about a call.
const (
	// Unknown says nothing about the limits of the upstream.
	Unknown Verdict = iota
	// Answered means that the upstream served the call.
	Answered
	// Refused means that the upstream refused the call for its rate limit.
	Refused
	// TimedOut means that the upstream did not answer in time.
	TimedOut
)

// Pacer paces the calls to one upstream. It is safe for concurrent use.
//
// The number of calls in flight is halved after a refusal and after a timeout,
// and grows by one after as many answers as it allows. Calls that began before
// the last reduction do not reduce it again.
type Pacer struct {
	configured float64 // calls per second

	mu       sync.Mutex
	next     time.Time // when the next call may be sent
	most     int       // the highest number of calls in flight
	limit    int       // the current one
	running  int
	waiting  []chan struct{} // of calls that wait for a slot; a closed one has it
	answers  int             // since the limit changed
	lowered  time.Time       // when it was last reduced
	until    time.Time       // the upstream takes no call before
	guesses  int             // refusals in a row that named no pause
	refused  time.Time       // when it last refused a call
	learning learnedRate
}

func newPacer(configured float64) *Pacer {
	return &Pacer{configured: configured, learning: learnedRate{limit: math.Inf(1)}}
}

func (p *Pacer) allow(concurrent int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if concurrent > p.most {
		p.most, p.limit = concurrent, max(p.limit, concurrent)
	}
}

// Enter waits until a call may be sent and returns when that was. Leave must
// follow. It returns a *LimitError if the upstream asked for a pause or, for an
// impatient call, if its turn does not come soon, and otherwise the error of ctx
// if that ends. Impatient calls come first.
func (p *Pacer) Enter(ctx context.Context, clock Clock, patient bool) (began time.Time, err error) {
	if left := p.Paused(clock.Now()); left > 0 {
		return began, &LimitError{left}
	}
	if err := p.slot(ctx, clock, patient); err != nil {
		return began, err
	}
	for {
		reserved := clock.Now()
		delay := p.turn(reserved, patient)
		if !patient && delay > shortWait {
			p.free()
			return began, &LimitError{delay}
		}
		if delay > 0 {
			clock.Wait(ctx, delay)
		}
		now := clock.Now()
		left, stale := p.since(reserved, now)
		switch {
		case left > 0:
			p.free()
			return began, &LimitError{left}
		case ctx.Err() != nil:
			p.free()
			return began, outOfTime(ctx)
		case !stale:
			return now, nil
		}
	}
}

// outOfTime is the error of a call whose context ended before its turn.
func outOfTime(ctx context.Context) error {
	return fmt.Errorf("the call could not be sent in time because of the rate limit: %w", context.Cause(ctx))
}

// since returns how long the upstream takes no calls, and whether it has refused
// one since a turn was reserved: the turn then follows others too closely.
func (p *Pacer) since(reserved, now time.Time) (pause time.Duration, stale bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return max(p.until.Sub(now), 0), !p.refused.Before(reserved)
}

// turn returns how long a call must wait for its turn, and takes it, unless the
// call is impatient and would wait too long. Calls are spaced evenly. A token
// bucket would let calls come closer when its rate changes while some wait.
func (p *Pacer) turn(now time.Time, patient bool) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	delay := max(p.next.Sub(now), 0)
	if patient || delay <= shortWait {
		spacing := time.Duration(float64(time.Second) / min(p.configured, p.learning.limit))
		p.next = now.Add(delay + spacing)
	}
	return delay
}

// Paused returns how long the upstream takes no calls.
func (p *Pacer) Paused(now time.Time) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return max(p.until.Sub(now), 0)
}

// Limiting reports whether the upstream has refused a call lately, or takes none.
func (p *Pacer) Limiting(now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return now.Before(p.until) || !p.refused.IsZero() && now.Sub(p.refused) < recently
}

// Leave ends a call that began at a time. The upstream may have asked for a
// pause, if it refused it.
func (p *Pacer) Leave(began, now time.Time, verdict Verdict, pause time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch verdict {
	case Answered:
		p.answered(began, now)
	case Refused:
		p.refuse(began, now, pause)
	case TimedOut:
		p.reduce(began, now)
	case Unknown:
	}
	p.running--
	p.wake()
}

func (p *Pacer) answered(began, now time.Time) {
	if began.After(p.lowered) {
		p.guesses = 0
	}
	p.learning.succeeded(now)
	if p.answers++; p.answers >= p.limit && p.limit < p.most {
		p.limit, p.answers = p.limit+1, 0
	}
}

func (p *Pacer) refuse(began, now time.Time, pause time.Duration) {
	p.refused = now
	isNew := p.reduce(began, now)
	if pause == 0 {
		pause = min(firstPause<<min(p.guesses, 16), longestGuess)
		if isNew {
			p.guesses++
		}
	}
	pause = min(pause, longestPause)
	if until := now.Add(pause); until.After(p.until) {
		p.until, p.next = until, until
	}
	if isNew {
		p.learning.refused(now, pause)
	}
}

// reduce halves the number of calls in flight, unless the call began before the
// last reduction.
func (p *Pacer) reduce(began, now time.Time) bool {
	if !began.After(p.lowered) {
		return false
	}
	p.lowered, p.answers = now, 0
	p.limit = max(min(p.limit, p.running)/2, 1)
	return true
}
