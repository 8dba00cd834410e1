package graph

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/explorer"
	"astrolabe/repo/repositories"
	"astrolabe/repo/repotest"
)

// tallyNode counts the questions to a node by their kind.
type tallyNode struct {
	chain.Node
	lookups, calls atomic.Int64
}

// Find implements chain.Node.
func (n *tallyNode) Find(ctx context.Context, id chain.BlockID) (chain.StateBlock, bool, error) {
	n.lookups.Add(1)
	return n.Node.Find(ctx, id)
}

// Call implements chain.Node.
func (n *tallyNode) Call(ctx context.Context, at chain.StateBlock, call chain.ViewCall) (chain.Answer, error) {
	n.calls.Add(1)
	return n.Node.Call(ctx, at, call)
}

// serveWallets serves the index with a node that counts.
func serveWallets(t *testing.T) (*servedGraph, *tallyNode) {
	t.Helper()
	pool, closeNode, err := simulated()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(closeNode)
	db, node := repotest.OpenTemplate(t, repotest.Followed), &tallyNode{Node: pool.Source()}
	return serveOver(t, db, time.Now, func(o *Options) {
		o.Chains, o.TimeLimit = []domain.Chain{domain.Mainnet}, time.Minute
		o.Services = explorer.New(explorer.Options{Stores: repositories.Explorer(db), Cursors: o.Cursors, Nodes: map[domain.Chain]chain.Node{domain.Mainnet: node}})
	}), node
}

// receivers are addresses that received tokens, those with the most tokens first.
func receivers(t *testing.T) (owners []string) {
	t.Helper()
	tokens := map[string]map[string]bool{}
	for _, block := range repotest.Everyday(t) {
		for _, transfer := range block.Transfers {
			owner := transfer.To.String()
			if tokens[owner] == nil {
				tokens[owner] = map[string]bool{}
				owners = append(owners, owner)
			}
			tokens[owner][transfer.Token.String()] = true
		}
	}
	slices.SortStableFunc(owners, func(a, b string) int { return len(tokens[b]) - len(tokens[a]) })
	return owners
}

// TestWalletsOfSeveralAddressesAreReadTogether compares one wallet with five: they
// need the same statements and the same lookups of blocks, each balance is one
// call however many wallets are read, and every wallet is as if read alone.
func TestWalletsOfSeveralAddressesAreReadTogether(t *testing.T) {
	t.Parallel()
	g, node := serveWallets(t)
	rich, poor := receivers(t)[:5], []string{"0xdead1", "0xdead2", "0xdead3", "0xdead4", "0xdead5"}
	for input, owners := range map[string][]string{
		`mode: VERIFIED_PARTIAL scope: DISCOVERED`:                                rich,
		`mode: VERIFIED_PARTIAL`:                                                  rich,
		`mode: VERIFIED_PARTIAL blockPreference: L1_ACCEPTED`:                     rich,
		`mode: VERIFIED_PARTIAL blockPreference: EXPLICIT blockNumber: 59`:        rich,
		`mode: REQUIRE_COMPLETE scope: EXPLICIT tokenAddresses: ["` + strk + `"]`: rich,
		`mode: REQUIRE_COMPLETE`:                                                  poor, // which have no token that cannot be read
	} {
		read := func(owners ...string) (wallets []any, statements int, lookups, calls int64) {
			t.Helper()
			lookups, calls = node.lookups.Load(), node.calls.Load()
			a, statements := g.counted(t, fmt.Sprintf(`{addresses(chain: SN_MAIN addresses: %s) {walletState(input: {%s})
				{ownerAddress block {blockNumber blockHash} coverage {reasonCodes coveredThroughBlock} correctness items {tokenAddress balanceRaw status}}}}`, encode(owners), input))
			var data struct{ Addresses []struct{ WalletState any } }
			if err := json.Unmarshal(a.body.Data, &data); err != nil {
				t.Fatal(err)
			}
			for _, address := range data.Addresses {
				wallets = append(wallets, address.WalletState)
			}
			return wallets, statements, node.lookups.Load() - lookups, node.calls.Load() - calls
		}
		var alone []any
		var statements int
		var lookups, calls int64
		for _, owner := range owners {
			wallet, s, l, c := read(owner)
			alone, statements, lookups, calls = append(alone, wallet...), max(statements, s), max(lookups, l), calls+c
		}
		wallets, s, l, c := read(owners...)
		if diff := cmp.Diff(alone, wallets); diff != "" {
			t.Errorf("%s: wallets read together (-alone +together):\n%s", input, diff)
		}
		if s > statements || l > lookups || c > calls || calls == 0 {
			t.Errorf("%s: got %d statements, %d lookups and %d calls for %d wallets; want the %d and %d of one wallet, and %d calls, more than 0", input, s, l, c, len(owners), statements, lookups, calls)
		}
		t.Logf("%s: %d statements, %d lookups, %d calls", input, s, l, c)
	}
}

// TestWalletsFailAlone reads complete wallets of one token at most: that of an
// address with several fails, and that of an address without any does not.
func TestWalletsFailAlone(t *testing.T) {
	t.Parallel()
	g, _ := serveWallets(t)
	rich := receivers(t)[0]
	a := g.ask(t, `{addresses(chain: SN_MAIN addresses: ["`+rich+`" "0xdead"]) {walletState(input: {scope: DISCOVERED limit: 1}) {ownerAddress correctness}}}`, nil)
	if len(a.body.Errors) != 1 || a.body.Errors[0].Extensions.Code != domain.CodeInvalidRequest || fmt.Sprint(a.body.Errors[0].Path) != "[addresses 0 walletState]" {
		t.Fatalf("got %s, want %s for the first wallet alone", a.text, domain.CodeInvalidRequest)
	}
	const message = "The scope has more tokens than input.limit allows. Raise input.limit (at most 25), name the tokens with input.scope EXPLICIT, or use input.mode VERIFIED_PARTIAL."
	if got := a.body.Errors[0].Message; got != message {
		t.Errorf("got %q, want %q", got, message)
	}
	if want := `{"ownerAddress":"0xdead","correctness":"VERIFIED_COMPLETE"}`; !strings.Contains(a.text, want) {
		t.Errorf("got %s, want %s", a.text, want)
	}
}

func TestWalletOfAnAddressEqualsTheRootWallet(t *testing.T) {
	t.Parallel()
	g := bothFacades(t).servedGraph
	owner := repotest.Everyday(t)[28].Transfers[0].To.String()
	const arguments, selection = `scope: DISCOVERED limit: 5 blockPreference: EXPLICIT blockNumber: 30}`, `{ownerAddress block {blockNumber blockHash} correctness items {tokenAddress balanceRaw status}}`
	root := answer[struct{ WalletState any }](t, g, `{walletState(chain: SN_MAIN input: {ownerAddress: "`+owner+`" `+arguments+`) `+selection+`}`, nil)
	edge := answer[struct{ Address struct{ WalletState any } }](t, g, `{address(chain: SN_MAIN address: "`+owner+`") {walletState(input: {`+arguments+`) `+selection+`}}`, nil)
	if same(t, "the wallet", edge.Address.WalletState, root.WalletState); root.WalletState == nil {
		t.Error("got no wallet, want one")
	}
	a := g.ask(t, `{addresses(chain: SN_MAIN addresses: ["0x1" "0x2" "0x3" "0x4" "0x5" "0x6"]) {walletState {scope}}}`, nil)
	if len(a.body.Errors) != 6 || a.body.Errors[0].Extensions.Code != domain.CodeInvalidRequest || !strings.Contains(a.body.Errors[0].Message, "the limit is 5") {
		t.Errorf("got %s, want 6 errors, the first with the limit 5", a.text)
	}
}
