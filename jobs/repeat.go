package jobs

import "time"

// Repeat calls step while there is more to do. It calls it at least once, and
// not after the deadline: the next run continues. It reports whether no work is
// left.
func Repeat(deadline time.Time, step func() (more bool, err error)) (done bool, err error) {
	for {
		more, err := step()
		if err != nil || !more {
			return err == nil, err
		}
		if time.Now().After(deadline) {
			return false, nil
		}
	}
}
