package graph

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"astrolabe/domain"
	"astrolabe/domain/account"
)

func TestGraphQLRequiresTheTiersOfREST(t *testing.T) {
	t.Parallel()
	g := explore(t)
	reader := map[string]string{"X-Service-Api-Key": g.access.Keys[account.Read]}
	for field, needed := range map[string]account.Permission{
		`token(chain:SN_MAIN address:\"` + strk + `\"){holders{generationId}}`:         account.Partner,
		`token(chain:SN_MAIN address:\"` + strk + `\"){holderScreening{generationId}}`: account.Partner,
		`token(chain:SN_MAIN address:\"` + strk + `\"){holderAnalytics{generationId}}`: account.Partner,
		`token(chain:SN_MAIN address:\"` + strk + `\"){pools{totalCount}}`:             account.Partner,
		`address(chain:SN_MAIN address:\"` + strk + `\"){summary{found}}`:              account.Batch,
		`address(chain:SN_MAIN address:\"` + strk + `\"){intelligence{found}}`:         account.Batch,
		`transactionPreviews(chain:SN_MAIN hashes:[\"0x1\"]){found}`:                   account.Batch,
	} {
		a := g.post(t, `{"query":"{`+field+`}"}`, reader)
		if len(a.body.Errors) != 1 || a.body.Errors[0].Extensions.Code != domain.CodeForbidden || a.body.Errors[0].Extensions.Scope != needed {
			t.Errorf("%s: got %s, want %s with the scope %s", field, a.text, domain.CodeForbidden, needed)
		}
	}
	a := g.post(t, `{"query":"{address(chain:SN_MAIN address:\"`+strk+`\"){activity(first:1){totalCount totalCountExact}}}"}`, reader)
	if !strings.Contains(a.text, `{"totalCount":null,"totalCountExact":false}`) {
		t.Errorf("got %s, want no total for a key that may only read", a.text)
	}
}

// contracts returns the IDs of contracts that emitted events.
func (g *servedGraph) contracts(t *testing.T, count int) []string {
	t.Helper()
	type emitted struct{ Contract struct{ ID string } }
	blocks := answer[struct {
		Blocks struct {
			Nodes []struct{ Events struct{ Nodes []emitted } }
		}
	}](t, g, `{blocks(chain:SN_MAIN first:100){nodes{events(first:100){nodes{contract{id}}}}}}`, nil)
	var ids []string
	for _, block := range blocks.Blocks.Nodes {
		for _, event := range block.Events.Nodes {
			if id := event.Contract.ID; id != "" && !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	if len(ids) < count {
		t.Fatalf("got %d contracts, want %d", len(ids), count)
	}
	return ids[:count]
}

func TestMissingPermissionIsOneErrorBeforeAnythingIsRead(t *testing.T) {
	t.Parallel()
	g := explore(t)
	reader := map[string]string{"X-Service-Api-Key": g.access.Keys[account.Read]}
	const list = `{blocks(chain:SN_MAIN first:40){nodes{transactions(first:10){nodes{sender{ ...S %s }}}}}} fragment S on Address{address summary%s{found}}`
	a := g.post(t, string(encode(map[string]string{"query": fmt.Sprintf(list, "summary{found} intelligence{found}", "")})), reader)
	if a.status != http.StatusForbidden || a.body.Data != nil || len(a.body.Errors) != 1 {
		t.Fatalf("got status %d with %.300s, want 403 with one error and no data", a.status, a.text)
	}
	e := a.body.Errors[0]
	if e.Message != "Address.summary needs the permission batch." || e.Extensions.Scope != account.Batch || len(e.Locations) != 1 {
		t.Errorf("got %+v, want the field, its location and the scope %s", e, account.Batch)
	}
	if got, want := a.header.Get("WWW-Authenticate"), `Bearer realm="service", error="insufficient_scope", scope="batch"`; got != want {
		t.Errorf("got the challenge %s, want %s", got, want)
	}
	a = g.post(t, string(encode(map[string]string{"query": fmt.Sprintf(list, "", "@include(if:false)")})), reader)
	if a.status != http.StatusOK || len(a.body.Errors) > 0 {
		t.Errorf("skipped field: got status %d with %.300s, want 200", a.status, a.text)
	}
}

func TestContractsReadFromANodePerOperationAreLimited(t *testing.T) {
	t.Parallel()
	g := explore(t)
	a := g.ask(t, `query($ids:[ID!]!){nodes(ids:$ids){...on Contract{read(selector:"0x1"){blockNumber}}}}`, map[string]any{"ids": g.contracts(t, 26)})
	if len(a.body.Errors) == 0 || a.body.Errors[0].Extensions.Code != domain.CodeInvalidRequest || !strings.Contains(a.body.Errors[0].Message, "the limit is 25") {
		t.Errorf("got %.300s, want %s with the limit 25", a.text, domain.CodeInvalidRequest)
	}
	refusedWith(t, g, domain.CodeServiceUnavailable, `{token(chain:SN_MAIN address:"`+strk+`"){totalSupply{totalSupplyRaw}}}`, nil)
	refusedWith(t, g, domain.CodeInvalidRequest, `{token(chain:SN_MAIN address:"`+strk+`"){totalSupply(blockTag:"yesterday"){totalSupplyRaw}}}`, nil)
}

func TestServiceListsItsSelectorCoverage(t *testing.T) {
	t.Parallel()
	g := explore(t)
	if a := g.ask(t, `{service{selectorCoverage{chainId selector position diagnostics{lagBlocks}}}}`, nil); len(a.body.Errors) > 0 || !strings.Contains(a.text, `"selectorCoverage":[`) {
		t.Errorf("got %s, want the coverage without errors", a.text)
	}
}
