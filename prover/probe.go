package prover

import "sync"

// probe announces the end of the one attempt that a circuit allows after a pause.
type probe struct {
	mu   sync.Mutex
	done chan struct{}
}

func newProbe() *probe { return &probe{done: make(chan struct{})} }

// settled returns a channel that is closed when the circuit next opens or closes.
func (p *probe) settled() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.done
}

// settle wakes all who wait.
func (p *probe) settle() {
	p.mu.Lock()
	defer p.mu.Unlock()
	close(p.done)
	p.done = make(chan struct{})
}
