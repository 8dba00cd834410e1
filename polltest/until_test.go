package polltest

import (
	"runtime"
	"testing"
	"testing/synctest"
	"time"
)

// probe is a test within the test, whose failure is recorded.
type probe struct {
	testing.TB
	failed bool
}

func (*probe) Helper() {}

func (p *probe) Fatalf(string, ...any) {
	p.failed = true
	runtime.Goexit()
}

func TestConditionHasAMinuteToHold(t *testing.T) {
	t.Parallel()
	for after, fails := range map[time.Duration]bool{0: false, 50 * time.Second: false, 70 * time.Second: true} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			reached := func() bool { return time.Since(began) >= after }
			for name, wait := range map[string]func(*probe){
				"Until": func(p *probe) { Until(p, "it", reached) },
				"Equal": func(p *probe) { Equal(p, "it", true, reached) },
			} {
				p, ended := &probe{TB: t}, make(chan struct{})
				began = time.Now()
				go func() {
					defer close(ended)
					wait(p)
				}()
				<-ended
				if p.failed != fails {
					t.Errorf("%s of what holds after %s: got failed %t, want %t", name, after, p.failed, fails)
				}
			}
		})
	}
}
