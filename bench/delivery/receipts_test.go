package delivery

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestOnlyBlocksThatAllSubscribersAwaitedCount(t *testing.T) {
	t.Parallel()
	r, start := newReceipts(2, 2), time.Unix(0, 0)
	receive := func(block uint64, after ...time.Duration) {
		for _, d := range after {
			r.add(block, start.Add(d))
		}
	}
	receive(7, 0) // before the other has subscribed
	r.begin()
	receive(7, time.Hour)
	receive(8, time.Second, 4*time.Second)
	receive(9, time.Second) // the other never receives it
	select {
	case <-r.done:
		t.Fatal("got the end after one block, want it after two")
	default:
	}
	receive(10, 9*time.Second, 7*time.Second)
	<-r.done
	receive(11, time.Hour, 2*time.Hour) // after the end
	if diff := cmp.Diff([]time.Duration{0, 0, 2 * time.Second, 3 * time.Second}, r.late); diff != "" {
		t.Errorf("delays (-want +got):\n%s", diff)
	}
}
