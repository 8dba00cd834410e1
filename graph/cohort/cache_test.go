package cohort_test

import (
	"errors"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"

	"astrolabe/graph/cohort"
)

func TestBatchHoldsDistinctKeysThatNoAncestorHasRead(t *testing.T) {
	t.Parallel()
	var reads numbers
	parent := cohort.Load(t.Context(), nil, []int{1, 2}, reads.fact())
	cohort.Prime(parent.Cache, reads.fact().Kind, 3, 33)
	cohort.Prime(parent.Cache, reads.fact().Kind, 1, 11) // was read before
	child := cohort.Load(t.Context(), parent.Cache, []int{5, 3, 1, 5, 4, 2}, reads.fact())
	if diff := cmp.Diff([][]int{{1, 2}, {5, 4}}, reads.batches); diff != "" {
		t.Errorf("batches (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int{50, 33, 10, 40, 20}, child.Values); diff != "" {
		t.Errorf("values of %v (-want +got):\n%s", child.Keys, diff)
	}
}

func TestCacheSeparatesEdgesAndArguments(t *testing.T) {
	t.Parallel()
	var reads numbers
	parent := cohort.Load(t.Context(), nil, []int{1}, reads.fact())
	other := reads.fact()
	other.Arguments = "another page"
	cohort.Load(t.Context(), parent.Cache, []int{1}, other)
	other.Chain = "SN_SEPOLIA"
	cohort.Load(t.Context(), parent.Cache, []int{1}, other)
	if diff := cmp.Diff([][]int{{1}, {1}, {1}}, reads.batches); diff != "" {
		t.Errorf("batches (-want +got):\n%s", diff)
	}
}

// TestCacheIsSharedWithDescendantsButNotSiblings resolves sibling edges that
// need the same facts at the same time: each reads for itself, and its
// descendants read nothing, under any schedule. It is not parallel: it sets
// the number of processors.
func TestCacheIsSharedWithDescendantsButNotSiblings(t *testing.T) {
	const siblings = 4
	for _, processors := range []int{1, 2, 8} {
		restore := runtime.GOMAXPROCS(processors)
		for range 200 {
			var reads numbers
			root := cohort.Load(t.Context(), nil, []int{1, 2, 3}, reads.fact())
			c := cohort.New(root.Cache, root.Values) // 10, 20 and 30
			atOnce(siblings, func(i int) {
				edge := cohort.Once(c, cohort.Kind{Name: "sibling", Arguments: i}, func() *cohort.Batch[int, int] {
					return cohort.Load(t.Context(), c.Cache, append(cohort.Keys(c, self), 1), reads.fact())
				})
				next := cohort.New(edge.Cache, edge.Keys)
				cohort.Load(t.Context(), next.Cache, append(cohort.Keys(next, self), 2, 3), reads.fact())
			})
			want := [][]int{{1, 2, 3}}
			for range siblings {
				want = append(want, []int{10, 20, 30})
			}
			if diff := cmp.Diff(want, reads.batches); diff != "" {
				t.Fatalf("%d processors: batches (-want +got):\n%s", processors, diff)
			}
		}
		runtime.GOMAXPROCS(restore)
	}
}

func TestFailedReadIsNotCached(t *testing.T) {
	t.Parallel()
	var reads numbers
	down := reads.fact()
	down.Read = evenFails(errors.New("down"))
	parent := cohort.Load(t.Context(), nil, []int{1, 2}, down)
	child := cohort.Load(t.Context(), parent.Cache, []int{1, 2}, reads.fact())
	if diff := cmp.Diff([][]int{{2}}, reads.batches); diff != "" {
		t.Errorf("batches (-want +got):\n%s", diff)
	}
	if got, err := child.Get(2); err != nil || got != 20 {
		t.Errorf("the key that failed before: want 20, got %d, %v", got, err)
	}
}
