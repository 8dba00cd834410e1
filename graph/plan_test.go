package graph

import (
	"sync"
	"testing"
)

// mergedSelections selects some fields twice, in ways whose parts are shared.
const mergedSelections = `query($n: Int!) {
	a: block(chain: SN_MAIN, number: $n) { ...F parent { blockNumber } ...G }
	b: block(chain: SN_MAIN, number: $n) { ...F parent { txCount } ...G }
}
fragment F on Block { parent { id: blockHash } }
fragment G on Block { parent { eventCount } }`

func TestSelectionsThatShareFragmentsAreMergedApart(t *testing.T) {
	t.Parallel()
	g := explore(t)
	for range 2 { // the second time by the plans that were made
		parents := data[struct {
			A, B struct{ Parent map[string]any }
		}](t, g.ask(t, mergedSelections, map[string]any{"n": 7}))
		for _, want := range []string{"id", "blockNumber", "eventCount"} {
			if _, is := parents.A.Parent[want]; !is || len(parents.A.Parent) != 3 {
				t.Errorf("a: %v", parents.A.Parent)
			}
		}
		for _, want := range []string{"id", "txCount", "eventCount"} {
			if _, is := parents.B.Parent[want]; !is || len(parents.B.Parent) != 3 {
				t.Errorf("b: %v", parents.B.Parent)
			}
		}
	}
}

func TestPlansOfADocumentAreMadeOnce(t *testing.T) {
	t.Parallel()
	g := explore(t)
	var clients sync.WaitGroup
	for n := range 20 {
		clients.Go(func() {
			if a := g.ask(t, mergedSelections, map[string]any{"n": n + 1}); a.body.Errors != nil {
				t.Error(a.text)
			}
		})
	}
	clients.Wait()
	document, known := g.documents.Get(mergedSelections)
	if !known {
		t.Fatal("the document is not kept")
	}
	if made := len(document.plans.made); made != 5 { // the root, two blocks and their parents
		t.Errorf("%d plans were made", made)
	}
}

func TestADirectiveHoldsForOneExecution(t *testing.T) {
	t.Parallel()
	g := explore(t)
	query := `query($with: Boolean!) { block(chain: SN_MAIN, number: 7) { txCount @include(if: $with) eventCount @skip(if: $with) } }`
	for _, with := range []bool{true, false, true, false} {
		found := data[struct{ Block map[string]any }](t, g.ask(t, query, map[string]any{"with": with}))
		if _, included := found.Block["txCount"]; included != with || len(found.Block) != 1 {
			t.Errorf("with %v: %v", with, found.Block)
		}
	}
}
