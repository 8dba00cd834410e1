package jobs

import "time"

// Repeat takes steps while there are more to take. It takes at least one, and
// begins none after the deadline: the next run goes on from there. It reports
// whether no work is left.
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
