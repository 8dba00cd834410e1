package live

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"astrolabe/domain/verify"
)

func newJobHub() *Hub {
	return NewHub(Options{PollEvery: time.Second, PollJobsEvery: 30 * time.Second, TimeLimit: time.Second})
}

var queued = &verify.Job{State: verify.Queued, History: []verify.Transition{{State: verify.Queued}}}

// TestStreamEndsWhenItsJobCannotBeRead lets every read fail after the first one.
func TestStreamEndsWhenItsJobCannotBeRead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h, reads, closed := newJobHub(), 0, make(chan struct{})
		ctx, ending := WithEnding(t.Context())
		err := h.FollowJob(ctx, JobSubscriber{
			ID: "one",
			Read: func(context.Context) (*verify.Job, error) {
				if reads++; reads > 1 {
					return nil, errors.New("down")
				}
				return queued, nil
			},
			Send: func(*verify.Job) {}, Close: func() { close(closed) },
		})
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		<-closed
		if why := ending.Reason(); why == nil || why.Reason != "unreadable" || reads != 1+1+maxFailures {
			t.Errorf("got the reason %v after %d reads, want unreadable after %d", why, reads, 1+1+maxFailures)
		}
		if waited, want := time.Since(began), 30*time.Second+maxFailures*time.Second; waited != want {
			t.Errorf("got the end after %s, want %s", waited, want)
		}
	})
}

// TestJobIsReadOnlyWhenItMayHaveMoved counts reads, and finds nothing left of a
// follower that has gone or was refused.
func TestJobIsReadOnlyWhenItMayHaveMoved(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newJobHub()
		var reads atomic.Int32
		ctx, leave := context.WithCancel(t.Context())
		closed := make(chan struct{})
		s := JobSubscriber{
			ID:   "one",
			Read: func(context.Context) (*verify.Job, error) { reads.Add(1); return queued, nil },
			Send: func(*verify.Job) {}, Close: func() { close(closed) },
		}
		if err := h.FollowJob(ctx, s); err != nil {
			t.Fatal(err)
		}
		for _, step := range []struct {
			name string
			act  func()
			want int32
		}{
			{"begin", func() {}, 1},
			{"another job", func() { h.NotifyJob("two") }, 1},
			{"this job", func() { h.NotifyJob("one") }, 2},
			{"any job", func() { h.NotifyJob("") }, 3},
			{"29 seconds", func() { time.Sleep(29 * time.Second) }, 3},
			{"30 seconds", func() { time.Sleep(time.Second) }, 4},
		} {
			step.act()
			if synctest.Wait(); reads.Load() != step.want {
				t.Errorf("%s: got %d reads, want %d", step.name, reads.Load(), step.want)
			}
		}
		leave()
		<-closed
		s.Read = func(context.Context) (*verify.Job, error) { return nil, errors.New("absent") }
		if err := h.FollowJob(t.Context(), s); err == nil || err.Error() != "absent" {
			t.Errorf("got %v, want the error of the first read", err)
		}
		if len(h.jobs.followers) > 0 {
			t.Errorf("got the followers %v, want none", h.jobs.followers)
		}
	})
}
