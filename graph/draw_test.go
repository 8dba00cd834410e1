package graph

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/chain"
	"astrolabe/domain/explorer"
	"astrolabe/repo/repositories"
	"astrolabe/repo/repotest"
	"astrolabe/starknet"
)

// serveBudget serves the index with its node to a key with the given rate limits,
// whose clock does not advance.
func serveBudget(t *testing.T, budgets account.Budgets) (g *servedGraph, header map[string]string, calls func() int) {
	t.Helper()
	pool, closeNode, count, err := countedNode()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(closeNode)
	db, at := repotest.OpenTemplate(t, repotest.Followed), time.Now()
	g = serveOver(t, db, func() time.Time { return at }, func(o *Options) {
		o.Chains, o.TimeLimit = []domain.Chain{domain.Mainnet}, time.Minute
		o.Services = explorer.New(explorer.Options{Stores: repositories.Explorer(db), Cursors: o.Cursors, Nodes: map[domain.Chain]chain.Node{domain.Mainnet: pool.Source()}})
	})
	key := g.access.Issue(account.IssueRequest{Permissions: []account.Permission{account.Read}, Budgets: budgets})
	return g, map[string]string{"X-Service-Api-Key": key}, func() int { return int(count.Load()) }
}

// sendAs sends a query with headers.
func (g *servedGraph) sendAs(t *testing.T, query string, header map[string]string) reply {
	t.Helper()
	return g.post(t, string(encode(map[string]string{"query": query})), header)
}

func TestFieldsThatAskTheNodeSearchOrScanDrawOnTheirRESTClass(t *testing.T) {
	t.Parallel()
	selector := starknet.Selector("total_supply").String()
	for name, c := range map[string]struct {
		query string
		class account.Class
		draws int
	}{
		"read":        {`{contract(chain:SN_MAIN address:"` + strk + `"){read(selector:"` + selector + `"){result}}}`, account.Heavy, 1},
		"aliases":     {`{token(chain:SN_MAIN address:"` + strk + `"){a:balanceOf(address:"0x1"){balanceRaw} b:balanceOf(address:"0x2"){balanceRaw} totalSupply{totalSupplyRaw}}}`, account.Heavy, 3},
		"wallet":      {`{walletState(chain:SN_MAIN input:{ownerAddress:"0x1" mode:VERIFIED_PARTIAL}){correctness}}`, account.Heavy, 1},
		"wallets":     {`{addresses(chain:SN_MAIN addresses:["0x1","0x2"]){walletState(input:{mode:VERIFIED_PARTIAL}){correctness}}}`, account.Heavy, 2},
		"search":      {`{search(chain:SN_MAIN query:"eth"){key}}`, account.Heavy, 1},
		"events":      {`{events(chain:SN_MAIN filter:{addresses:["` + strk + `"]} first:1){nodes{logIndex}}}`, account.Heavy, 1},
		"transaction": {`{transaction(chain:SN_MAIN hash:"0x1234567"){id}}`, account.Light, 1},
		"found":       {`{transaction(chain:SN_MAIN hash:` + somewhere + `){id}}`, account.Light, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g, header, _ := serveBudget(t, account.Budgets{c.class: 10})
			first := g.sendAs(t, c.query, header)
			for _, e := range first.body.Errors {
				if e.Extensions.Code != domain.CodeNotFound {
					t.Fatalf("got %s, want a result", first.text)
				}
			}
			if left := *budgetRemaining(t, g, header, c.class); left != 10-c.draws {
				t.Errorf("got %d remaining, want %d", left, 10-c.draws)
			}
			weight := 0
			if c.class == account.Heavy {
				weight = 2500 * c.draws
			}
			if got := first.body.Extensions.Cost; got.Requested < weight || got.Actual < weight {
				t.Errorf("got the cost %+v, want at least %d", got, weight)
			}
		})
	}
}

func TestFailedFieldKeepsThePriceOfItsDraw(t *testing.T) {
	t.Parallel()
	const badTag = `{contract(chain:SN_MAIN address:"` + strk + `"){read(selector:"0x1" blockTag:"someday"){result}}}`
	for name, c := range map[string]struct {
		query string
		heavy int
		want  int // the draws that were made
	}{
		"no entry point":      {`{contract(chain:SN_MAIN address:"` + strk + `"){read(selector:"0x1"){result}}}`, 10, 1},
		"unsupported token":   {`{walletState(chain:SN_MAIN input:{ownerAddress:"0x1" mode:REQUIRE_COMPLETE scope:EXPLICIT tokenAddresses:["0x1"]}){correctness}}`, 10, 1},
		"a wallet of several": {`{addresses(chain:SN_MAIN addresses:["0x1","0x2"]){walletState(input:{mode:REQUIRE_COMPLETE scope:EXPLICIT tokenAddresses:["0x1"]}){correctness}}}`, 10, 2},
		"denied":              {`{addresses(chain:SN_MAIN addresses:["0x1","0x2"]){walletState(input:{mode:VERIFIED_PARTIAL}){correctness}}}`, 1, 0},
		"invalid argument":    {badTag, 10, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g, header, _ := serveBudget(t, account.Budgets{account.Heavy: c.heavy})
			a := g.sendAs(t, c.query, header)
			if len(a.body.Errors) == 0 {
				t.Fatalf("got %s, want an error", a.text)
			}
			if got := a.body.Extensions.Cost.Actual / 2500; got != c.want {
				t.Errorf("got the actual cost %d, want that of %d draws: %s", a.body.Extensions.Cost.Actual, c.want, a.text)
			}
			if left := *budgetRemaining(t, g, header, account.Heavy); left != c.heavy-c.want {
				t.Errorf("got %d remaining, want %d", left, c.heavy-c.want)
			}
		})
	}
}

// budgetRemaining is what a caller has left of a class.
func budgetRemaining(t *testing.T, g *servedGraph, header map[string]string, class account.Class) *int {
	t.Helper()
	type budgets struct {
		Viewer struct {
			Budgets []struct {
				Class     string
				Remaining *int
			}
		}
	}
	for _, b := range data[budgets](t, g.post(t, `{"query":"{ viewer { budgets { class remaining } } }"}`, header)).Viewer.Budgets {
		if b.Class == string(class) {
			return b.Remaining
		}
	}
	t.Fatalf("got no rate limit of the class %s, want one", class)
	return nil
}

func TestExhaustedClassFailsOnlyTheFieldThatNeedsIt(t *testing.T) {
	t.Parallel()
	g, header, calls := serveBudget(t, account.Budgets{account.Heavy: 1})
	const query = `{token(chain:SN_MAIN address:"` + strk + `"){standard totalSupply{totalSupplyRaw}}}`
	if a := g.sendAs(t, query, header); len(a.body.Errors) > 0 {
		t.Fatalf("got %s, want no error", a.text)
	}
	before := calls()
	a := g.sendAs(t, query, header)
	if a.status != http.StatusOK || len(a.body.Errors) != 1 || a.body.Errors[0].Extensions.Code != domain.CodeRateLimited || a.body.Errors[0].Extensions.RetryAfterSeconds == 0 {
		t.Errorf("got %s, want %s with a delay", a.text, domain.CodeRateLimited)
	}
	if !strings.Contains(a.text, `"totalSupply":null`) || !strings.Contains(a.text, `"standard":"ERC20"`) {
		t.Errorf("got %s, want the standard alone", a.text)
	}
	if calls() != before {
		t.Errorf("got %d calls of the node, want none", calls()-before)
	}
}

// TestNodeCallsOfACallerWithoutAKeyAreBounded has the rate limits of a page
// without a key, and sends the operation with the most calls of the node until
// nothing is left: wallets read up to 25 balances for one draw.
func TestNodeCallsOfACallerWithoutAKeyAreBounded(t *testing.T) {
	t.Parallel()
	g, header, calls := serveBudget(t, account.Budgets{})
	wallets := `{a:addresses(chain:SN_MAIN addresses:["0x1","0x2","0x3","0x4","0x5"]){walletState(input:{mode:VERIFIED_PARTIAL}){items{status}}}}`
	before, sent := calls(), 0
	for denied := 0; denied < 3; sent++ {
		if a := g.sendAs(t, wallets, header); strings.Contains(a.text, string(domain.CodeRateLimited)) {
			denied++
		}
		if sent > 1000 {
			t.Fatal("got no denial after 1000 operations, want one")
		}
	}
	most := account.Usual[account.Heavy]*walletCalls + account.Usual[account.Light]
	if got := calls() - before; got == 0 || got > most {
		t.Errorf("got %d calls of the node, want 1 to %d", got, most)
	}
	t.Logf("%d operations made %d calls of the node; the bound for a caller without a key is %d a minute", sent, calls()-before, most)
}

// walletCalls is the most calls of the node for one draw: a block, and the
// balances of a wallet under both names that tokens use.
const walletCalls = 3 + 2*25
