package graph

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"astrolabe/domain"
)

func TestNodeIsFoundByItsID(t *testing.T) {
	t.Parallel()
	g := serve(t, nil)
	id := globalID{Type: chainType, Chain: domain.Sepolia}.String()
	a := g.ask(t, `query($id: ID!) { node(id: $id) { __typename id ... on Chain { chainId chainIdFelt } } }`, map[string]any{"id": id})
	want := `{"node":{"__typename":"Chain","id":"` + id + `","chainId":"SN_SEPOLIA","chainIdFelt":"0x534e5f5345504f4c4941"}}`
	if string(a.body.Data) != want {
		t.Errorf("got %s, want %s", a.text, want)
	}
}

func TestMalformedIDReturnsNullWithAnError(t *testing.T) {
	t.Parallel()
	g := serve(t, nil)
	a := g.ask(t, `{ node(id: "nonsense") { id } }`, nil)
	if string(a.body.Data) != `{"node":null}` || len(a.body.Errors) != 1 || a.body.Errors[0].Extensions.Code != domain.CodeInvalidRequest {
		t.Errorf("got %s, want null with %s", a.text, domain.CodeInvalidRequest)
	}
}

func TestIDOfAnotherTypeIsRejected(t *testing.T) {
	t.Parallel()
	g := serve(t, nil)
	for _, id := range []globalID{{Type: "Comet", Chain: domain.Mainnet}, {Type: "Chain", Chain: domain.Mainnet, Key: "1"}} {
		a := g.ask(t, `query($id: ID!) { node(id: $id) { id } }`, map[string]any{"id": id.String()})
		if len(a.body.Errors) != 1 || a.body.Errors[0].Extensions.Code != domain.CodeInvalidRequest {
			t.Errorf("%v: got %s, want %s", id, a.text, domain.CodeInvalidRequest)
		}
	}
}

func TestNodesKeepTheirOrderAndFailIndependently(t *testing.T) {
	t.Parallel()
	g := serve(t, func(o *Options) { o.Chains = []domain.Chain{domain.Mainnet} })
	main, sepolia := globalID{Type: chainType, Chain: domain.Mainnet}.String(), globalID{Type: chainType, Chain: domain.Sepolia}.String()
	a := g.ask(t, `query($ids: [ID!]!) { nodes(ids: $ids) { id } }`, map[string]any{"ids": []string{"?", main, sepolia, main}})
	if want := `{"nodes":[null,{"id":"` + main + `"},null,{"id":"` + main + `"}]}`; string(a.body.Data) != want {
		t.Errorf("got %s, want %s", a.text, want)
	}
	var failed []any
	for _, e := range a.body.Errors {
		failed = append(failed, e.Path[1], e.Extensions.Code)
	}
	if diff := cmp.Diff([]any{0.0, domain.CodeInvalidRequest, 2.0, domain.CodeUnsupportedChain}, failed); diff != "" {
		t.Errorf("errors (-want +got):\n%s", diff)
	}
}
