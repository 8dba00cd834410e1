package signin

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestConcurrentCallersShareOneFetch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		fetches := 0
		answer := newRemembered(time.Now, func(ctx context.Context) (int, error) {
			time.Sleep(time.Second) // on the bubble's clock
			fetches++
			return fetches, ctx.Err()
		})
		impatient, cancel := context.WithCancel(t.Context())
		var group sync.WaitGroup
		group.Go(func() {
			if got, err := answer.get(impatient); got != 1 || err != nil {
				t.Errorf("first caller: got %d and %v, want 1", got, err)
			}
		})
		synctest.Wait()
		cancel() // does not fail the others
		if _, err := answer.get(impatient); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled caller: got %v, want %v", err, context.Canceled)
		}
		for range 10 {
			group.Go(func() {
				if got, err := answer.get(t.Context()); got != 1 || err != nil {
					t.Errorf("waiting caller: got %d and %v, want 1", got, err)
				}
			})
		}
		group.Wait()
	})
}

func TestFetchedValueExpiresAndAFailureIsRetried(t *testing.T) {
	t.Parallel()
	now, fetches, failure := time.Now(), 0, error(nil)
	answer := newRemembered(func() time.Time { return now }, func(context.Context) (int, error) {
		fetches++
		return fetches, failure
	})
	broken := errors.New("broken")
	for i, step := range []struct {
		after time.Duration
		fails error
		read  func(context.Context) (int, error)
		want  int
		err   error
	}{
		{0, nil, answer.get, 1, nil},
		{maxAge - 1, nil, answer.get, 1, nil},
		{1, nil, answer.get, 2, nil},
		{refetchInterval - 1, nil, answer.getNewer, 2, nil},
		{1, broken, answer.getNewer, 3, broken},
		{refetchInterval - 1, nil, answer.get, 3, broken},
		{1, nil, answer.get, 4, nil},
	} {
		now, failure = now.Add(step.after), step.fails
		if got, err := step.read(t.Context()); got != step.want || !errors.Is(err, step.err) {
			t.Errorf("step %d: got %d and %v, want %d and %v", i, got, err, step.want, step.err)
		}
	}
}
