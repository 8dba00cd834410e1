package graph

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"astrolabe/domain"
)

// statusEverywhere asks for the status of chains in every way there is.
const statusEverywhere = `query($ids: [ID!]!) {
	a: chain(chainId: SN_MAIN) { status { asOf headBlockNumber } }
	b: chain(chainId: SN_SEPOLIA) { status { asOf } again: status { chainId } }
	status(chain: SN_SEPOLIA) { asOf }
	chains { nodes { status { asOf } } edges { node { status { asOf } } } }
	nodes(ids: $ids) { ... on Chain { status { asOf } } }
}`

// TestAResultReadsOnceHoweverItIsScheduled is not parallel: it sets the number
// of processors.
func TestAResultReadsOnceHoweverItIsScheduled(t *testing.T) {
	g := serve(t, nil)
	variables := map[string]any{"ids": []string{(&Chain{ChainID: domain.Sepolia}).ID(), (&Chain{ChainID: domain.Mainnet}).ID()}}
	for _, processors := range []int{1, 2, runtime.NumCPU()} {
		for _, clients := range []int{1, 16} {
			restore := runtime.GOMAXPROCS(processors)
			before := g.store.count()
			var all sync.WaitGroup
			const rounds = 20
			for range clients {
				all.Go(func() {
					for range rounds {
						if a := g.ask(t, statusEverywhere, variables); len(a.body.Errors) > 0 {
							t.Error(a.text)
						}
					}
				})
			}
			all.Wait()
			runtime.GOMAXPROCS(restore)
			if reads := g.store.count() - before; reads != clients*rounds {
				t.Errorf("%d processors, %d clients: %d reads for %d results", processors, clients, reads, clients*rounds)
			}
		}
	}
}

// branch is a parent in a tree of lists, as nested connections make them.
type branch struct {
	key    int
	cohort *cohort[int]
}

// TestNestedListsReadOnceForEachEdge walks three levels of lists as gqlgen
// does, every item in a goroutine of its own, and counts the reads. It is not
// parallel: it sets the number of processors.
func TestNestedListsReadOnceForEachEdge(t *testing.T) {
	for _, processors := range []int{1, 2, runtime.NumCPU()} {
		restore := runtime.GOMAXPROCS(processors)
		var clients sync.WaitGroup
		for range 16 {
			clients.Go(func() { walkTree(t) })
		}
		clients.Wait()
		runtime.GOMAXPROCS(restore)
	}
}

func walkTree(t *testing.T) {
	t.Helper()
	var reads, keys [3]atomic.Int64
	widths := [3]int{20, 10, 1}
	roots := newCohort([]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9})
	var visit func(level int, b branch)
	visit = func(level int, b branch) {
		children, err := load(t.Context(), b.cohort, edge{"children", level}, b.key, func(_ context.Context, parents []int) ([][]branch, error) {
			reads[level].Add(1)
			keys[level].Add(int64(len(parents)))
			return grow(parents, widths[level]), nil
		})
		if err != nil {
			t.Error(err)
		}
		var siblings sync.WaitGroup
		for _, child := range children {
			if level < 2 {
				siblings.Go(func() { visit(level+1, child) })
			}
		}
		siblings.Wait()
	}
	var all sync.WaitGroup
	for _, key := range roots.given {
		all.Go(func() { visit(0, branch{key, roots}) })
	}
	all.Wait()
	for level, want := range []int64{10, 200, 2000} {
		if reads[level].Load() != 1 || keys[level].Load() != want {
			t.Errorf("level %d: %d reads of %d keys", level, reads[level].Load(), keys[level].Load())
		}
	}
}

// grow gives each parent its children; all of them form one cohort.
func grow(parents []int, width int) [][]branch {
	var all []int
	for _, parent := range parents {
		for i := range width {
			all = append(all, parent*width+i)
		}
	}
	next := newCohort(all)
	children := make([][]branch, len(parents))
	for i, parent := range parents {
		for j := range width {
			children[i] = append(children[i], branch{parent*width + j, next})
		}
	}
	return children
}

func TestACohortReadsDistinctKeysInTheirOrder(t *testing.T) {
	t.Parallel()
	c := newCohort([]string{"b", "a", "b", "c"})
	var read []string
	values, err := load(t.Context(), c, edge{field: "upper"}, "a", func(_ context.Context, keys []string) ([]string, error) {
		read = keys
		return []string{"B", "A", "C"}, nil
	})
	if err != nil || values != "A" || strings.Join(read, "") != "bac" {
		t.Errorf("%q of %v: %v", values, read, err)
	}
}

func TestEachArgumentIsReadOnItsOwn(t *testing.T) {
	t.Parallel()
	c := newCohort([]int{1})
	reads := 0
	for _, first := range []int{5, 6, 5} {
		got, err := load(t.Context(), c, edge{"events", first}, 1, func(context.Context, []int) ([]int, error) {
			reads++
			return []int{first}, nil
		})
		if err != nil || got != first {
			t.Errorf("first %d: %d %v", first, got, err)
		}
	}
	if reads != 2 {
		t.Errorf("%d reads", reads)
	}
}

func TestAFailedReadFailsEveryMember(t *testing.T) {
	t.Parallel()
	down := errors.New("down")
	for name, read := range map[string]func(context.Context, []int) ([]int, error){
		"error": func(context.Context, []int) ([]int, error) { return nil, down },
		"panic": func(context.Context, []int) ([]int, error) { panic("down") },
		"short": func(context.Context, []int) ([]int, error) { return []int{1}, nil },
	} {
		c := newCohort([]int{1, 2})
		for _, key := range []int{1, 2} {
			if _, err := load(t.Context(), c, edge{field: name}, key, read); err == nil || name == "error" && !errors.Is(err, down) {
				t.Errorf("%s, key %d: %v", name, key, err)
			}
		}
	}
}

func TestAStrangerToACohortIsAnError(t *testing.T) {
	t.Parallel()
	_, err := load(t.Context(), newCohort([]int{1}), edge{}, 2, func(context.Context, []int) ([]int, error) {
		return nil, fmt.Errorf("read")
	})
	if !errors.Is(err, errNotAMember) {
		t.Error(err)
	}
}
