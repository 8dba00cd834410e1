package rest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"astrolabe/domain/address"
	"astrolabe/domain/facts"
	"astrolabe/domain/search"
	"astrolabe/repo/repotest"
	"astrolabe/starknet"
)

// proxyChain is a chain with proxies.
type proxyChain struct{ repotest.ProxyChain }

// newProxied starts a service over the index of a chain with proxies; change may
// alter its blocks first.
func newProxied(t *testing.T, change func(proxyChain)) (*service, proxyChain) {
	t.Helper()
	c := proxyChain{repotest.Proxied(t)}
	c.Blocks = slices.Clone(c.Blocks)
	change(c)
	db := repotest.Open(t)
	index := repotest.NewIndex(t.Context(), db, 0, 20)
	index.Load(c.Blocks)
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
			if diff := cmp.Diff(want, s.signatures(&c.Blocks[block], c.Contracts[name])); diff != "" {
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
	b := &c.Blocks[65]
	i := slices.IndexFunc(b.Transactions, func(tx facts.Transaction) bool {
		calls, _ := facts.Calls(&tx)
		return len(calls) == 1 && calls[0].To == c.Contracts["proxied DAI"] && calls[0].Selector == starknet.Selector("permissionedMint")
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

// behindProxy adds a contract of the proxy of OpenZeppelin to a block, which
// executes a class unless that is nil.
func (c proxyChain) behindProxy(block int, address starknet.Felt, class *starknet.Felt) {
	history := newHistory(c.Blocks)
	b := &c.Blocks[block]
	proxy := history.began[len(c.Blocks)][c.Contracts["proxied collection"]]
	b.Changes = append(slices.Clone(b.Changes), facts.ClassChange{Address: address, Origin: facts.Deployed, Class: proxy})
	if class != nil {
		b.Implementations = append(slices.Clone(b.Implementations), facts.Implementation{
			Address: address, Origin: facts.Replaced, Family: facts.OpenZeppelinClass, Executed: facts.Executed{Class: class},
		})
	}
}

func TestAContractIsAnAccountIfItsProxyExecutesOne(t *testing.T) {
	t.Parallel()
	wallet, unset := starknet.FeltFromUint64(7001), starknet.FeltFromUint64(7002)
	s, c := newProxied(t, func(c proxyChain) {
		class := newHistory(c.Blocks).began[66][*c.Blocks[66].Transactions[0].Sender]
		c.behindProxy(70, wallet, &class)
		c.behindProxy(70, unset, nil)
	})
	type answers struct {
		Contract, Summary *bool
		Type              address.Type
		Search            search.Kind
	}
	for name, test := range map[string]struct {
		of   starknet.Felt
		want answers
	}{
		"an account behind a proxy":   {wallet, answers{new(true), new(true), address.TypeAccount, search.Account}},
		"a proxy that is not set up":  {unset, answers{nil, nil, address.TypeContract, search.Contract}},
		"a token behind a proxy":      {c.Contracts["proxied DAI"], answers{new(false), new(false), address.TypeToken, search.Token}},
		"a collection behind a proxy": {c.Contracts["proxied collection"], answers{new(false), new(false), address.TypeToken, search.Token}},
	} {
		body := fmt.Sprintf(`{"addresses":["%s"]}`, test.of)
		got := answers{
			Contract: read[contractBody](s, "/v1/SN_MAIN/contract/"+test.of.String()).IsAccount,
			Summary:  decodeBody[batchBody[summaryItem]](t, s.postJSON(summariesPath, body)).Items[0].IsAccount,
			Type:     decodeBody[batchBody[intelligenceItem]](t, s.postJSON(intelligencePath, body)).Items[0].TypeLabel,
			Search:   s.search(test.of.String())[0].Kind,
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
