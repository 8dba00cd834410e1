package rest

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"astrolabe/domain/facts"
	"astrolabe/repo/repotest"
	"astrolabe/sim"
	"astrolabe/starknet"
)

// proxyChain is the facts of a simulated chain that deploys proxies in block 65
// and upgrades them in block 72, and the names of its contracts.
type proxyChain struct {
	blocks    []facts.Block
	contracts map[string]starknet.Felt
}

var proxied = sync.OnceValues(func() (c proxyChain, err error) {
	node, err := sim.New(sim.Config{Blocks: 75})
	if err != nil {
		return c, err
	}
	defer func() { _ = node.Close() }()
	c.contracts = map[string]starknet.Felt{}
	for _, contract := range node.Directory() {
		c.contracts[contract.Name] = contract.Address
	}
	c.blocks, err = repotest.Facts(node)
	return c, err
})

// newProxied starts a service over the index of a chain with proxies; change may
// alter its blocks first.
func newProxied(t *testing.T, change func(proxyChain)) (*service, proxyChain) {
	t.Helper()
	c, err := proxied()
	if err != nil {
		t.Fatal(err)
	}
	c.blocks = slices.Clone(c.blocks)
	change(c)
	db := repotest.Open(t)
	index := repotest.NewIndex(t.Context(), db, 0, 20)
	index.Load(c.blocks)
	index.RecordHead(20)
	if err := index.Err(); err != nil {
		t.Fatal(err)
	}
	return newServiceOver(t, db, time.Now, withNodes(db, nil)), c
}

// signature shows the name of a call with the labels and types of its inputs.
func signature(call accountCall) string {
	if call.SelectorName == nil || call.DecodedCalldata == nil {
		return "unknown"
	}
	inputs := make([]string, len(call.DecodedCalldata))
	for i, field := range call.DecodedCalldata {
		inputs[i] = field.Label + " " + field.Type
	}
	return *call.SelectorName + "(" + strings.Join(inputs, ", ") + ")"
}

// The proxies of StarkGate have the functions of upgrades themselves; that of
// OpenZeppelin has none.
func TestCallsToAProxyAreDecodedByWhatItExecutes(t *testing.T) {
	t.Parallel()
	s, c := newProxied(t, func(proxyChain) {})
	const transfer, mint, move = "transfer(recipient felt, amount Uint256)", "mint(to felt, tokenId Uint256)", "transferFrom(from_ felt, to felt, tokenId Uint256)"
	const add = "add_implementation(implementation_hash felt, eic_hash felt, init_vector_len felt, init_vector felt*, final felt)"
	upgrade := strings.Replace(add, "add_implementation", "upgrade_to", 1)
	for name, want := range map[string]map[uint64][]string{
		"proxied DAI": {
			65: {"init_governance()", add, upgrade, "permissionedMint(account felt, amount Uint256)"},
			66: {transfer, transfer, transfer},
			72: {transfer, transfer, transfer, add, upgrade, transfer, transfer, transfer},
			74: {transfer, transfer, transfer},
		},
		"proxied collection": {
			66: {mint, mint, move},
			72: {mint, mint, move, "upgrade(new_implementation felt)", mint, mint, move},
			74: {mint, mint, move},
		},
	} {
		for block, want := range want {
			if diff := cmp.Diff(want, s.signatures(&c.blocks[block], c.contracts[name])); diff != "" {
				t.Errorf("calls to %s in block %d (-want +got):\n%s", name, block, diff)
			}
		}
	}
}

// signatures lists the calls to a contract in a block.
func (s *service) signatures(b *facts.Block, contract starknet.Felt) (list []string) {
	s.t.Helper()
	for i := range b.Transactions {
		calls, ok := facts.Calls(&b.Transactions[i])
		if !ok || !slices.ContainsFunc(calls, func(call facts.Call) bool { return call.To == contract }) {
			continue
		}
		for _, call := range read[transactionBody](s, "/v1/SN_MAIN/tx/"+b.Transactions[i].Hash.String()).AccountCalls {
			if call.To == contract {
				list = append(list, signature(call))
			}
		}
	}
	return list
}

// No class but the implementation of the token has the function.
func TestThePrimaryMethodOfACallToAProxyIsThatOfItsImplementation(t *testing.T) {
	t.Parallel()
	s, c := newProxied(t, func(proxyChain) {})
	b := &c.blocks[65]
	i := slices.IndexFunc(b.Transactions, func(tx facts.Transaction) bool {
		calls, _ := facts.Calls(&tx)
		return len(calls) == 1 && calls[0].To == c.contracts["proxied DAI"] && calls[0].Selector == starknet.Selector("permissionedMint")
	})
	hash, sender := b.Transactions[i].Hash, b.Transactions[i].Sender
	var methods []*string
	for _, item := range decodeBody[batchBody[previewItem]](t, s.postJSON("/v1/SN_MAIN/tx/previews", hashesBody([]starknet.Felt{hash}))).Items {
		methods = append(methods, item.PrimaryMethod)
	}
	for _, item := range walkAddress[addressTransactionItem](s, *sender, "transactions", 100) {
		if item.TxHash == hash {
			methods = append(methods, item.PrimaryMethod)
		}
	}
	want := new("permissionedMint")
	if diff := cmp.Diff([]*string{want, want}, methods); diff != "" {
		t.Errorf("the primary methods of the preview and of the transaction list (-want +got):\n%s", diff)
	}
}
