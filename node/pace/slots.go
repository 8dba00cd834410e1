package pace

import (
	"context"
	"slices"
)

// slot waits for a slot.
func (p *Pacer) slot(ctx context.Context, clock Clock, patient bool) error {
	p.mu.Lock()
	if p.running < p.limit {
		p.running++
		p.mu.Unlock()
		return nil
	}
	ready := make(chan struct{})
	waiting := ctx
	if patient {
		p.waiting = append(p.waiting, ready)
	} else {
		p.waiting = slices.Insert(p.waiting, 0, ready)
		short, cancel := context.WithTimeout(ctx, shortWait)
		defer cancel()
		waiting = short
	}
	p.mu.Unlock()
	select {
	case <-ready:
		return nil
	case <-waiting.Done():
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if at := slices.Index(p.waiting, ready); at >= 0 {
		p.waiting = slices.Delete(p.waiting, at, at+1)
	} else { // the slot came at the same moment
		p.running--
		p.wake()
	}
	if left := p.until.Sub(clock.Now()); left > 0 {
		return &LimitError{left}
	}
	if ctx.Err() == nil { // it was impatient
		return &LimitError{shortWait}
	}
	return outOfTime(ctx)
}

// free returns the slot of a call that was not sent.
func (p *Pacer) free() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running--
	p.wake()
}

// wake passes free slots on.
func (p *Pacer) wake() {
	for p.running < p.limit && len(p.waiting) > 0 {
		close(p.waiting[0])
		p.waiting = p.waiting[1:]
		p.running++
	}
}
