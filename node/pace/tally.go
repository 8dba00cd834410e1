package pace

import "time"

// remembered is how many seconds a tally looks back at least.
const remembered = 60

// tally counts the calls that an upstream served, by second, since it last refused
// one.
type tally struct {
	began  time.Time
	counts []int
}

// add counts a call. Calls that were sent before the tally began do not count.
func (t *tally) add(now time.Time) {
	if now.Before(t.began) {
		return
	}
	if now.Sub(t.began) > time.Duration(len(t.counts)+remembered)*time.Second {
		t.began, t.counts = now, nil
	}
	for len(t.counts) <= int(now.Sub(t.began)/time.Second) {
		t.counts = append(t.counts, 0)
	}
	t.counts[len(t.counts)-1]++
	if len(t.counts) >= 2*remembered {
		t.began, t.counts = t.began.Add(remembered*time.Second), t.counts[remembered:]
	}
}

// busiest returns the higher count of the last two seconds.
func (t *tally) busiest() (calls int) {
	for _, n := range t.counts[max(len(t.counts)-2, 0):] {
		calls = max(calls, n)
	}
	return calls
}

// proven returns a number of calls per second that the upstream certainly allows.
// Upstreams let calls come in a burst, but rarely save up more than a second's
// worth: one that served so many calls in t seconds allows at least the (t+1)th
// part of them per second. The most telling of the periods up to now counts.
func (t *tally) proven(now time.Time) (perSecond float64) {
	calls, until := 0, now.Sub(t.began).Seconds()
	for second := len(t.counts) - 1; second >= 0; second-- {
		calls += t.counts[second]
		perSecond = max(perSecond, float64(calls)/(until-float64(second)+1))
	}
	return perSecond
}
