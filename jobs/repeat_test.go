package jobs

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestNoStepBeginsAfterTheDeadline(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for name, c := range map[string]struct {
		deadline time.Duration
		more     int   // steps that report more work
		failure  error // of the one after them
		steps    int
		done     bool
	}{
		"everything is done in time":         {time.Minute, 3, nil, 4, true},
		"the deadline ends it":               {25 * time.Second, 9, nil, 3, false},
		"the last step may end late":         {25 * time.Second, 2, nil, 3, true},
		"one step is taken in any case":      {-time.Second, 9, nil, 1, false},
		"a failure ends it":                  {time.Minute, 2, broken, 3, false},
		"a failure after the deadline is so": {25 * time.Second, 2, broken, 3, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				steps := 0
				done, err := Repeat(time.Now().Add(c.deadline), func() (bool, error) {
					time.Sleep(10 * time.Second) // of the bubble's clock
					steps++
					if steps > c.more {
						return false, c.failure
					}
					return true, nil
				})
				if steps != c.steps || done != c.done || !errors.Is(err, c.failure) {
					t.Errorf("got %d steps, done %v and %v, want %d, %v and %v", steps, done, err, c.steps, c.done, c.failure)
				}
			})
		})
	}
}
