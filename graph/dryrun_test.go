package graph

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"astrolabe/domain"
)

// dryRunOf returns a request for the cost of a query.
func dryRunOf(query string) string {
	return fmt.Sprintf(`{"query":%q,"extensions":{"dryRun":true}}`, query)
}

func TestDryRunReportsTheCostAndIsChargedOneUnit(t *testing.T) {
	t.Parallel()
	const query = "{ chains(first: 5) { nodes { id chainId } } }"
	g, header := serveFrozen(t, 20)
	before := g.store.count()
	dry := g.post(t, dryRunOf(query), header)
	if dry.status != http.StatusOK || string(dry.body.Data) != "null" || len(dry.body.Errors) > 0 || dry.body.Extensions.Cost.Requested != 12 {
		t.Fatalf("got status %d with %s, want 200 with null data and the cost 12", dry.status, dry.text)
	}
	if left := dry.header.Get("X-Ratelimit-Remaining"); left != "19" || g.store.count() != before {
		t.Errorf("got %s of 20 remaining after %d reads, want 19 after none", left, g.store.count()-before)
	}
	run := g.post(t, fmt.Sprintf(`{"query":%q,"extensions":{"dryRun":false}}`, query), header)
	if run.body.Extensions.Cost.Requested != dry.body.Extensions.Cost.Requested || dry.body.Extensions.Cost.Actual != 0 {
		t.Errorf("got %s, want the cost of the dry run, which has no actual cost", run.text)
	}
	if run.body.Extensions.Cost.Actual != 6 || run.header.Get("X-Ratelimit-Remaining") != "13" {
		t.Errorf("got headers %v and %s, want 13 remaining: two chains of five cost 6", run.header, run.text)
	}
}

func TestDryRunHasNoEffectByAnyMethod(t *testing.T) {
	t.Parallel()
	g := serve(t, nil)
	for _, query := range []string{"{ service { version } }", "subscription { chainStatus(chain: SN_MAIN) { asOf } }"} {
		if a := g.post(t, dryRunOf(query), nil); a.status != http.StatusOK || string(a.body.Data) != "null" || a.body.Extensions.Cost.Requested != 2 {
			t.Errorf("%s: got status %d with %s, want 200 with null data and the cost 2", query, a.status, a.text)
		}
	}
}

func TestDryRunIsRejectedLikeTheOperation(t *testing.T) {
	t.Parallel()
	g, header := serveFrozen(t, 20)
	for body, code := range map[string]domain.Code{
		dryRunOf("{ nothing }"):                                   domain.CodeInvalidRequest,
		dryRunOf("{ chains(first: 101) { nodes { id } } }"):       domain.CodeInvalidRequest,
		dryRunOf("{ chains(first: 20) { nodes { id } } }"):        domain.CodeInvalidRequest,
		dryRunOf("mutation { issueApiKey { action } }"):           domain.CodeForbidden,
		`{"query":"{__typename}","extensions":{"dryRun":"true"}}`: domain.CodeInvalidRequest,
	} {
		if a := g.post(t, body, header); len(a.body.Errors) != 1 || a.body.Errors[0].Extensions.Code != code {
			t.Errorf("%s: want %s, got %s", body, code, a.text)
		}
	}
}

func TestDryRunOverWebSocket(t *testing.T) {
	t.Parallel()
	g := serve(t, nil)
	c := g.open(t)
	c.send(`{"id":"d","type":"subscribe","payload":` + dryRunOf("subscription { chainStatus(chain: SN_MAIN) { asOf } }") + `}`)
	if result := c.expect("next", "d"); !strings.Contains(result, `"data":null`) || !strings.Contains(result, `"requested":2`) {
		t.Errorf("got %s, want null data and the cost 2", result)
	}
	c.expect("complete", "d")
}
