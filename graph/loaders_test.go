package graph

import (
	"runtime"
	"sync"
	"testing"

	"astrolabe/domain"
)

// statusEverywhere reads the status of chains through every field that has it.
const statusEverywhere = `query($ids: [ID!]!) {
	a: chain(chainId: SN_MAIN) { status { asOf headBlockNumber } }
	b: chain(chainId: SN_SEPOLIA) { status { asOf } again: status { chainId } }
	status(chain: SN_SEPOLIA) { asOf }
	chains { nodes { status { asOf } } edges { node { status { asOf } } } }
	nodes(ids: $ids) { ... on Chain { status { asOf } } }
}`

// TestResultIsReadOnceUnderAnySchedule is not parallel: it sets the number
// of processors.
func TestResultIsReadOnceUnderAnySchedule(t *testing.T) {
	g := serve(t, nil)
	variables := map[string]any{"ids": []string{globalID{Type: chainType, Chain: domain.Sepolia}.String(), globalID{Type: chainType, Chain: domain.Mainnet}.String()}}
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
							t.Errorf("got %s, want no errors", a.text)
						}
					}
				})
			}
			all.Wait()
			runtime.GOMAXPROCS(restore)
			if reads := g.store.count() - before; reads != clients*rounds {
				t.Errorf("%d processors, %d clients: got %d reads, want %d", processors, clients, reads, clients*rounds)
			}
		}
	}
}
