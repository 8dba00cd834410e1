package gateway

import "sync"

// Allowance is a number of bytes that the answers of a batch share while they
// are read, so that a batch is never buffered past its limit.
type Allowance struct {
	limit int64

	mu        sync.Mutex
	taken     int64 // by all answers
	kept      int64 // by those that are complete
	exhausted bool
}

// NewAllowance returns an allowance of so many bytes.
func NewAllowance(bytes int64) *Allowance { return &Allowance{limit: bytes} }

// Exhausted reports whether the complete answers and another one together exceed
// the allowance.
func (a *Allowance) Exhausted() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.exhausted
}

// Portion returns the portion of a further answer. One with precedence is
// refused nothing for the sake of answers that are still being read.
func (a *Allowance) Portion(precedence bool) *Portion {
	return &Portion{allowance: a, precedence: precedence}
}

// Portion is what one answer takes of an allowance. A nil portion has no limit.
type Portion struct {
	allowance  *Allowance
	precedence bool
	taken      int64
	crowded    bool
}

// Take takes n bytes and reports whether they were left.
func (p *Portion) Take(n int) bool {
	if p == nil {
		return true
	}
	a := p.allowance
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.kept+p.taken+int64(n) > a.limit:
		a.exhausted = true
		return false
	case !p.precedence && a.taken+int64(n) > a.limit:
		p.crowded = true
		return false
	}
	p.taken += int64(n)
	a.taken += int64(n)
	return true
}

// Return gives back what was taken: the answer is not used.
func (p *Portion) Return() {
	if p == nil {
		return
	}
	a := p.allowance
	a.mu.Lock()
	defer a.mu.Unlock()
	a.taken -= p.taken
	p.taken = 0
}

// keep ends the portion: its answer is complete, or there is none. It reports
// whether the answer was refused only because of others that were being read.
func (p *Portion) keep() (crowded bool) {
	a := p.allowance
	a.mu.Lock()
	defer a.mu.Unlock()
	a.kept += p.taken
	return p.crowded
}
