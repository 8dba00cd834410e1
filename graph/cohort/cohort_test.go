package cohort_test

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"astrolabe/graph/cohort"
)

// numbers is a kind of fact that records its reads.
type numbers struct {
	mu      sync.Mutex
	batches [][]int
}

func (n *numbers) fact() cohort.Fact[int, int] {
	return cohort.Fact[int, int]{Kind: cohort.Kind{Name: "ten times a number"}, Read: cohort.All(n.read)}
}

func (n *numbers) read(_ context.Context, keys []int) ([]int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.batches = append(n.batches, keys)
	values := make([]int, len(keys))
	for i, key := range keys {
		values[i] = 10 * key
	}
	return values, nil
}

func self(key int) (int, bool) { return key, true }

// atOnce calls a function from many goroutines and waits for them.
func atOnce(goroutines int, call func(i int)) {
	var all sync.WaitGroup
	for i := range goroutines {
		all.Go(func() { call(i) })
	}
	all.Wait()
}

// TestEdgeIsLoadedOncePerCohort is not parallel: it sets the number of
// processors.
func TestEdgeIsLoadedOncePerCohort(t *testing.T) {
	for _, processors := range []int{1, 2} {
		restore := runtime.GOMAXPROCS(processors)
		var reads numbers
		c := cohort.New(nil, []int{4, 2, 4, 3})
		atOnce(16, func(i int) {
			edge := cohort.Kind{Name: "edge", Arguments: i % 2}
			batch := cohort.Once(c, edge, func() *cohort.Batch[int, int] {
				return cohort.Load(t.Context(), c.Cache, cohort.Keys(c, self), reads.fact())
			})
			member := c.Members[i%len(c.Members)]
			if got, err := batch.Get(member); err != nil || got != 10*member {
				t.Errorf("key %d: want %d, got %d, %v", member, 10*member, got, err)
			}
		})
		runtime.GOMAXPROCS(restore)
		if diff := cmp.Diff([][]int{{4, 2, 3}, {4, 2, 3}}, reads.batches); diff != "" {
			t.Errorf("%d processors: batches (-want +got):\n%s", processors, diff)
		}
	}
}

func TestMembersWithoutAKeyAreNotLoaded(t *testing.T) {
	t.Parallel()
	c := cohort.New(nil, []int{1, 2, 3, 4})
	even := cohort.Keys(c, func(n int) (int, bool) { return n, n%2 == 0 })
	if diff := cmp.Diff([]int{2, 4}, even); diff != "" {
		t.Errorf("keys (-want +got):\n%s", diff)
	}
}

// branch is a parent in a tree of lists, as nested connections make them.
type branch struct {
	key  int
	peer *cohort.Cohort[branch]
}

// TestNestedListsAreReadOncePerLevel resolves three levels of lists as gqlgen
// does, every item in its own goroutine, with sixteen clients. It is not
// parallel: it sets the number of processors.
func TestNestedListsAreReadOncePerLevel(t *testing.T) {
	for _, processors := range []int{1, 2, 8} {
		restore := runtime.GOMAXPROCS(processors)
		atOnce(16, func(int) { walkTree(t) })
		runtime.GOMAXPROCS(restore)
	}
}

func walkTree(t *testing.T) {
	t.Helper()
	widths, want := [3]int{20, 10, 1}, [3]int64{10, 200, 2000}
	var reads, keys [3]atomic.Int64
	var visit func(level int, b branch)
	visit = func(level int, b branch) {
		pages := cohort.Fact[int, []int]{Kind: cohort.Kind{Name: "children", Arguments: level}, Read: cohort.All(func(_ context.Context, parents []int) ([][]int, error) {
			reads[level].Add(1)
			keys[level].Add(int64(len(parents)))
			return grow(parents, widths[level]), nil
		})}
		children := cohort.Once(b.peer, pages.Kind, func() map[int][]branch { return plant(t.Context(), b.peer, pages) })[b.key]
		if level < 2 {
			atOnce(len(children), func(i int) { visit(level+1, children[i]) })
		}
	}
	roots := newBranches(nil, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9})
	atOnce(len(roots), func(i int) { visit(0, roots[i]) })
	for level := range want {
		if reads[level].Load() != 1 || keys[level].Load() != want[level] {
			t.Errorf("level %d: want 1 read of %d keys, got %d of %d", level, want[level], reads[level].Load(), keys[level].Load())
		}
	}
}

// grow lists the children of each parent.
func grow(parents []int, width int) [][]int {
	lists := make([][]int, len(parents))
	for i, parent := range parents {
		for j := range width {
			lists[i] = append(lists[i], parent*width+j)
		}
	}
	return lists
}

// plant loads the children of a cohort, which form the next cohort.
func plant(ctx context.Context, peers *cohort.Cohort[branch], pages cohort.Fact[int, []int]) map[int][]branch {
	batch := cohort.Load(ctx, peers.Cache, cohort.Keys(peers, func(b branch) (int, bool) { return b.key, true }), pages)
	var all []int
	for _, list := range batch.Values {
		all = append(all, list...)
	}
	rest, children := newBranches(batch.Cache, all), map[int][]branch{}
	for i, parent := range batch.Keys {
		n := len(batch.Values[i])
		children[parent], rest = rest[:n], rest[n:]
	}
	return children
}

func newBranches(cache *cohort.Cache, keys []int) []branch {
	peers := cohort.New(cache, make([]branch, len(keys)))
	for i, key := range keys {
		peers.Members[i] = branch{key, peers}
	}
	return peers.Members
}
