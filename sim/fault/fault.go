package fault

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Kind is a kind of fault.
type Kind string

// The kinds of fault. Latency, Status, Rate and Truncate concern calls over HTTP
// only.
const (
	// Latency delays the answer by Delay.
	Latency Kind = "latency"
	// RPCError answers with a JSON-RPC error of Code and Message.
	RPCError Kind = "error"
	// Status answers with an HTTP status instead of a JSON-RPC answer, 429 by default.
	Status Kind = "status"
	// Rate answers calls above Limit per second, and a burst of as many, with
	// status 429 and asks for a pause of Retry seconds, one by default.
	Rate Kind = "rate"
	// Cut closes the connection without an answer.
	Cut Kind = "cut"
	// Truncate sends the first half of the answer and closes the connection.
	Truncate Kind = "truncate"
	// StaleHead answers as if the newest Depth blocks did not exist.
	StaleHead Kind = "stale_head"
	// WrongParent returns a parent hash that belongs to no block, for the
	// newest Depth blocks.
	WrongParent Kind = "wrong_parent"
	// MissingReceipts omits the last transaction from blocks with receipts, and
	// finds no single receipts.
	MissingReceipts Kind = "missing_receipts"
	// OtherChain answers with the id of the other chain.
	OtherChain Kind = "other_chain"
	// Reorg replaces the newest Depth blocks, at least one, after Run has added
	// a block.
	Reorg Kind = "reorg"
	// L1Reorg lets reorgs replace blocks that are accepted on L1.
	L1Reorg Kind = "l1_reorg"
	// Lie changes one thing in the result of getBlockWithReceipts,
	// getStateUpdate or getClass, which stays valid. The field Lie names it. It
	// applies to results that have such a thing, of the block Block, or of the
	// newest Depth blocks, or of every block.
	Lie Kind = "lie"
)

// Kinds lists every kind.
var Kinds = []Kind{Latency, RPCError, Status, Rate, Cut, Truncate, StaleHead, WrongParent, MissingReceipts, OtherChain, Reorg, L1Reorg, Lie}

// Fault is one injected fault.
type Fault struct {
	Kind Kind `json:"kind"`
	// Methods restricts it to calls of these methods; empty means all.
	Methods []string `json:"methods,omitempty"`
	// Every applies the fault only to each n-th matching call; zero means each.
	Every int `json:"every,omitempty"`
	// Times ends the fault after that many calls; zero means that it stays
	// until it is removed.
	Times int `json:"times,omitempty"`

	Delay   time.Duration `json:"delay,omitempty"`
	Code    int           `json:"code,omitempty"`
	Message string        `json:"message,omitempty"`
	Status  int           `json:"status,omitempty"`
	Depth   uint64        `json:"depth,omitempty"`
	// Limit is the number of calls per second that a rate limit allows.
	Limit float64 `json:"limit,omitempty"`
	// Retry is the Retry-After of its refusals, in seconds.
	Retry int `json:"retry,omitempty"`
	// Lie is one of Lies.
	Lie string `json:"lie,omitempty"`
	// Block is the only block that a lie applies to. If it is nil, Depth decides.
	Block *uint64 `json:"block,omitempty"`
}

// ErrUnknown reports a kind that does not exist.
var ErrUnknown = errors.New("unknown kind of fault")

// ErrUnknownLie reports a lie that does not exist.
var ErrUnknownLie = errors.New("unknown lie")

// ErrRange reports a number that is out of range.
var ErrRange = errors.New("a number is out of range")

func (f *Fault) check() error {
	switch {
	case !slices.Contains(Kinds, f.Kind):
		return fmt.Errorf("%w: %q", ErrUnknown, f.Kind)
	case (f.Kind == Lie || f.Lie != "") && !slices.Contains(Lies, f.Lie):
		return fmt.Errorf("%w: %q", ErrUnknownLie, f.Lie)
	case (f.Kind == Rate) != (f.Limit > 0):
		return fmt.Errorf("%w: a rate limit needs a positive limit, as in rate,limit=20", ErrRange)
	case f.Retry < 0, f.Retry > 0 && f.Kind != Rate:
		return fmt.Errorf("%w: only a rate limit takes the seconds of a pause, as in rate,limit=20,retry=10", ErrRange)
	case f.Every < 0, f.Times < 0, f.Delay < 0, f.Status != 0 && (f.Status < 400 || f.Status > 599):
		return ErrRange
	}
	return nil
}

// Set is the active faults. Its zero value has none. It is safe for concurrent
// use.
type Set struct {
	mu     sync.Mutex
	active []*counted
	struck map[Kind]int
}

type counted struct {
	Fault
	seen, struck int
	limiter      *rate.Limiter // of a Rate
}

// Add adds a fault. It returns ErrUnknown for an unknown kind and ErrRange for
// invalid numbers.
func (s *Set) Add(f Fault) error {
	if err := f.check(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c := &counted{Fault: f}
	if f.Kind == Rate {
		c.limiter = rate.NewLimiter(rate.Limit(f.Limit), max(int(f.Limit), 1))
	}
	s.active = append(s.active, c)
	return nil
}

// Clear removes the faults of the given kinds, or all of them.
func (s *Set) Clear(kinds ...Kind) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.active = slices.DeleteFunc(s.active, func(c *counted) bool { return len(kinds) == 0 || slices.Contains(kinds, c.Kind) })
}

// List returns the active faults.
func (s *Set) List() []Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	faults := []Fault{}
	for _, c := range s.active {
		faults = append(faults, c.Fault)
	}
	return faults
}

// Any reports whether a fault is active.
func (s *Set) Any() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.active) > 0
}

// Strike reports whether a fault of a kind applies to a call of a method, and
// counts it.
func (s *Set) Strike(kind Kind, method string) (Fault, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.active {
		if c.matches(kind, method) && !c.allowed() && s.count(c) {
			return c.Fault, true
		}
	}
	return Fault{}, false
}

// Struck returns how many calls faults of a kind have applied to.
func (s *Set) Struck(kind Kind) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.struck[kind]
}

// allowed reports whether a rate limit allows a call.
func (c *counted) allowed() bool { return c.limiter != nil && c.limiter.Allow() }

func (c *counted) matches(kind Kind, method string) bool {
	return c.Kind == kind && (len(c.Methods) == 0 || slices.Contains(c.Methods, method))
}

// count counts a call that a fault concerns and reports whether the fault
// applies to it.
func (s *Set) count(c *counted) bool {
	if c.seen++; c.Every > 1 && c.seen%c.Every != 0 {
		return false
	}
	if s.struck == nil {
		s.struck = map[Kind]int{}
	}
	s.struck[c.Kind]++
	if c.struck++; c.Times > 0 && c.struck >= c.Times {
		s.active = slices.DeleteFunc(s.active, func(other *counted) bool { return other == c })
	}
	return true
}
