package cohort_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/graph-gophers/dataloader/v7"

	"astrolabe/graph/cohort"
)

// evenFails is a read that fails for even keys.
func evenFails(reason error) dataloader.BatchFunc[int, int] {
	return cohort.Each(func(_ context.Context, keys []int) ([]*dataloader.Result[int], error) {
		results := make([]*dataloader.Result[int], len(keys))
		for i, key := range keys {
			results[i] = &dataloader.Result[int]{Data: key}
			if key%2 == 0 {
				results[i].Error = reason
			}
		}
		return results, nil
	})
}

func TestFailedKeyDoesNotFailItsBatch(t *testing.T) {
	t.Parallel()
	down := errors.New("down")
	batch := cohort.Load(t.Context(), nil, []int{1, 2, 3}, cohort.Fact[int, int]{Read: evenFails(down)})
	for key, want := range map[int]error{1: nil, 2: down, 3: nil} {
		if _, err := batch.Get(key); !errors.Is(err, want) {
			t.Errorf("key %d: want error %v, got %v", key, want, err)
		}
	}
	if diff := cmp.Diff([]int{1, 0, 3}, batch.Values); diff != "" {
		t.Errorf("values (-want +got):\n%s", diff)
	}
}

func TestFailedBatchFailsEveryKey(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		read func(context.Context, []int) ([]int, error)
		want []string // in the message
	}{
		"error": {func(context.Context, []int) ([]int, error) { return nil, errors.New("down") }, []string{"down"}},
		"panic": {func(context.Context, []int) ([]int, error) { panic("lost") }, []string{"panic: lost", "loader_test.go"}},
		"short": {func(context.Context, []int) ([]int, error) { return []int{1}, nil }, []string{"a batch of 2 keys returned 1 values"}},
		"long":  {func(context.Context, []int) ([]int, error) { return []int{1, 2, 3}, nil }, []string{"a batch of 2 keys returned 3 values"}},
	} {
		batch := cohort.Load(t.Context(), nil, []int{1, 2}, cohort.Fact[int, int]{Read: cohort.All(test.read)})
		for _, key := range batch.Keys {
			_, err := batch.Get(key)
			for _, want := range test.want {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%s, key %d: want an error with %q, got %v", name, key, want, err)
				}
			}
		}
	}
}

// TestBatchesDoNotWaitForATimer loads in a synctest bubble, whose clock advances
// only when every goroutine waits.
func TestBatchesDoNotWaitForATimer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		var reads numbers
		parent := cohort.Load(t.Context(), nil, []int{1, 2, 3}, reads.fact())
		cohort.Load(t.Context(), parent.Cache, []int{1, 2, 3, 4, 5}, reads.fact()) // some are cached
		cohort.Load(t.Context(), parent.Cache, []int{3, 2}, reads.fact())          // all are cached
		cohort.Load(t.Context(), parent.Cache, nil, reads.fact())
		if waited := time.Since(began); waited != 0 {
			t.Errorf("want no wait, got %v", waited)
		}
	})
}

func TestKeyOutsideTheCohortIsAnError(t *testing.T) {
	t.Parallel()
	defer func() {
		if recover() == nil {
			t.Error("want a panic, got none")
		}
	}()
	var reads numbers
	_, _ = cohort.Load(t.Context(), nil, []int{1}, reads.fact()).Get(2)
}
