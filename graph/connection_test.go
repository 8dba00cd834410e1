package graph

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"astrolabe/domain"
)

type chainsAnswer struct {
	Chains struct {
		Nodes    []struct{ ChainID domain.Chain }
		Edges    []struct{ Cursor string }
		PageInfo struct {
			HasNextPage, HasPreviousPage bool
			StartCursor, EndCursor       *string
		}
		TotalCount      int
		TotalCountExact bool
	}
}

const chainsQuery = `query($first: Int, $after: Cursor) {
	chains(first: $first, after: $after) {
		nodes { chainId } edges { cursor }
		pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
		totalCount totalCountExact
	}
}`

func chainsPage(t *testing.T, g *servedGraph, variables map[string]any) chainsAnswer {
	t.Helper()
	a := g.ask(t, chainsQuery, variables)
	var got chainsAnswer
	if err := json.Unmarshal(a.body.Data, &got); err != nil || len(a.body.Errors) > 0 {
		t.Fatalf("got %s, %v, want data without errors", a.text, err)
	}
	return got
}

func TestConnectionPagesHaveNoDuplicatesOrGaps(t *testing.T) {
	t.Parallel()
	g := serve(t, nil)
	first := chainsPage(t, g, map[string]any{"first": 1}).Chains
	if len(first.Nodes) != 1 || first.Nodes[0].ChainID != domain.Mainnet || !first.PageInfo.HasNextPage || first.PageInfo.HasPreviousPage {
		t.Fatalf("first page: got %+v, want %s and a next page", first, domain.Mainnet)
	}
	if first.TotalCount != 2 || !first.TotalCountExact {
		t.Errorf("got total %d, exact %v; want 2, exact", first.TotalCount, first.TotalCountExact)
	}
	if *first.PageInfo.EndCursor != first.Edges[0].Cursor || *first.PageInfo.StartCursor != first.Edges[0].Cursor {
		t.Errorf("got page cursors %s and %s, want %s, the cursor of the only item", *first.PageInfo.StartCursor, *first.PageInfo.EndCursor, first.Edges[0].Cursor)
	}
	second := chainsPage(t, g, map[string]any{"first": 1, "after": *first.PageInfo.EndCursor}).Chains
	if len(second.Nodes) != 1 || second.Nodes[0].ChainID != domain.Sepolia || second.PageInfo.HasNextPage || !second.PageInfo.HasPreviousPage {
		t.Fatalf("second page: got %+v, want %s and a previous page", second, domain.Sepolia)
	}
	third := chainsPage(t, g, map[string]any{"after": *second.PageInfo.EndCursor}).Chains
	if len(third.Nodes) != 0 || third.PageInfo.StartCursor != nil || third.PageInfo.HasNextPage {
		t.Errorf("third page: got %+v, want none", third)
	}
}

func TestOnlyServedChainsAreListed(t *testing.T) {
	t.Parallel()
	g := serve(t, func(o *Options) { o.Chains = []domain.Chain{domain.Sepolia} })
	page := chainsPage(t, g, nil).Chains
	if len(page.Nodes) != 1 || page.Nodes[0].ChainID != domain.Sepolia || page.TotalCount != 1 {
		t.Errorf("got %+v, want %s alone", page, domain.Sepolia)
	}
}

func TestCursorOfAnotherListIsRejected(t *testing.T) {
	t.Parallel()
	g := serve(t, nil)
	foreign := g.Cursors.Encode(domain.Bind("graphql", "Query.blocks", "", "{}"), domain.Position{1}, time.Time{})
	for _, cursor := range []string{foreign, "", "nonsense", strings.Repeat("A", 600)} {
		a := g.ask(t, chainsQuery, map[string]any{"after": cursor})
		if len(a.body.Errors) != 1 {
			t.Fatalf("%q: got %s, want one error", cursor, a.text)
		}
		e := a.body.Errors[0]
		if e.Extensions.Code != domain.CodeInvalidRequest || e.Extensions.DocSlug != "errors/invalid-cursor" || !strings.HasPrefix(e.Message, "invalid_cursor") {
			t.Errorf("%q: got %+v, want invalid_cursor", cursor, e)
		}
	}
}

func TestInvalidPageSizeIsRejectedBeforeAnyRead(t *testing.T) {
	t.Parallel()
	g := serve(t, nil)
	for _, first := range []any{0, -1, 101, 1 << 40, "5", 1.5} {
		a := g.ask(t, `query($first: Int) { chains(first: $first) { nodes { status { asOf } } } }`, map[string]any{"first": first})
		if a.body.Data != nil || len(a.body.Errors) != 1 || !strings.Contains(a.body.Errors[0].Message, "first") {
			t.Errorf("%v: got %s, want one error that names first", first, a.text)
		}
	}
	if g.store.count() != 0 {
		t.Errorf("got %d reads, want none", g.store.count())
	}
}

// TestFailedConnectionKeepsItsParents fails one list of an object: the object
// and its other fields are still returned.
func TestFailedConnectionKeepsItsParents(t *testing.T) {
	t.Parallel()
	g := explore(t)
	a := g.ask(t, `{ block(chain: SN_MAIN, number: 3) { blockNumber transactions(after: "bad") { nodes { txHash } } } }`, nil)
	if len(a.body.Errors) != 1 || string(a.body.Data) != `{"block":{"blockNumber":3,"transactions":null}}` {
		t.Errorf("got %s, want the block without its transactions and one error", a.text)
	}
}

// TestListBelowAnObjectIsNullable ensures the same for every list that is read
// separately from its object.
func TestListBelowAnObjectIsNullable(t *testing.T) {
	t.Parallel()
	for _, definition := range schema.Types {
		for _, field := range definition.Fields {
			if strings.HasSuffix(field.Type.Name(), "Connection") && field.Type.NonNull {
				t.Errorf("%s.%s: got a list that is never null, want it nullable", definition.Name, field.Name)
			}
		}
	}
	for _, path := range []string{"Chain.status", "Token.controls", "Transaction.messages"} {
		object, name, _ := strings.Cut(path, ".")
		if schema.Types[object].Fields.ForName(name).Type.NonNull {
			t.Errorf("%s: got a field that is never null, want it nullable", path)
		}
	}
}
