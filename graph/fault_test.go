package graph

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"astrolabe/domain"
)

// TestNullConditionOfADirectiveIsRejected passes null for a nullable variable
// with a default, which validation accepts.
func TestNullConditionOfADirectiveIsRejected(t *testing.T) {
	t.Parallel()
	g := explore(t)
	for _, query := range []string{
		`query($b: Boolean = true) { __typename @skip(if: $b) }`,
		`query($b: Boolean = true) { status(chain: SN_MAIN) { finalityDepth @include(if: $b) } }`,
		`query($b: Boolean = true) { blocks(chain: SN_MAIN, first: 3) { nodes { ... @include(if: $b) { blockNumber } } } }`,
		`query($b: Boolean = true) { blocks(chain: SN_MAIN, first: 3) { nodes { ...F @skip(if: $b) } } } fragment F on Block { blockNumber }`,
	} {
		for _, dry := range []string{"false", "true"} {
			body := fmt.Sprintf(`{"query":%q,"variables":{"b":null},"extensions":{"dryRun":%s}}`, query, dry)
			a := g.post(t, body, map[string]string{"Accept": mediaResponse})
			if a.status != http.StatusBadRequest || len(a.body.Errors) != 1 || a.body.Errors[0].Extensions.Code != domain.CodeInvalidRequest || len(a.body.Errors[0].Locations) != 1 {
				t.Errorf("%s: got status %d with %s, want 400 with %s and its location", query, a.status, a.text, domain.CodeInvalidRequest)
			}
		}
		if a := g.ask(t, query, map[string]any{}); len(a.body.Errors) > 0 {
			t.Errorf("%s: got %s, want no errors", query, a.text)
		}
	}
}

func TestSubscriptionThatSkipsItsOnlyFieldIsRejected(t *testing.T) {
	t.Parallel()
	g := explore(t)
	for _, query := range []string{
		`subscription { newBlocks(chain: SN_MAIN) @skip(if: true) { cursor } }`,
		`subscription { ... @include(if: false) { newBlocks(chain: SN_MAIN) { cursor } } }`,
	} {
		if _, text := g.listen(t, query, nil).next(); !strings.Contains(text, `"code":"invalid_request"`) {
			t.Errorf("%s: got %s, want %s", query, text, domain.CodeInvalidRequest)
		}
	}
}

func TestErrorInAnEventHasItsFullPath(t *testing.T) {
	t.Parallel()
	l := newLiveChain(t, 10)
	stream := l.listening(nil).listen(t, `subscription { x: newBlocks(chain: SN_MAIN) { block { transactions(after: "bad") { nodes { txHash } } } } }`, nil)
	stream.next() // the initial status
	l.mine(1)
	_, text := stream.next()
	var event struct{ Errors []wireError }
	if err := json.Unmarshal([]byte(text), &event); err != nil || len(event.Errors) != 1 {
		t.Fatalf("got %s and %v, want one error", text, err)
	}
	same(t, "path", event.Errors[0].Path, []any{"x", "block", "transactions"})
}

func TestArgumentErrorIsLocatedAtItsField(t *testing.T) {
	t.Parallel()
	g := explore(t)
	for query, path := range map[string][]any{
		`{ a: blocks(chain: SN_MAIN, filter: {fromBlock: -1}) { nodes { id } } }`:                                                                                   {"a"},
		`{ b: block(chain: SN_MAIN, number: 3) { t: transactions(first: 1) { nodes { s: sender { transfers(filter: {toBlock: -1}) { nodes { logIndex } } } } } } }`: {"b", "t", "nodes", 0.0, "s", "transfers"},
	} {
		e := refusedWith(t, g, domain.CodeInvalidRequest, query, nil)
		same(t, query, e.Path, path)
		if len(e.Locations) != 1 {
			t.Errorf("%s: got %d locations, want 1", query, len(e.Locations))
		}
	}
}

func TestResponseOverTheSizeLimitIs413(t *testing.T) {
	t.Parallel()
	g := serve(t, func(o *Options) { o.Limits = tight })
	a := g.post(t, `{"query":"{service{limits{name description}}}"}`, map[string]string{"Accept": mediaResponse})
	if a.status != http.StatusRequestEntityTooLarge || a.body.Data != nil || a.body.Errors[0].Extensions.Code != domain.CodePayloadTooLarge {
		t.Errorf("got status %d with %s, want 413 with %s and no data", a.status, a.text, domain.CodePayloadTooLarge)
	}
}
