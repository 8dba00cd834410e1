package classes

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"astrolabe/starknet"
	"astrolabe/starknet/abi"
)

// TestClassesEmitTheLayoutsThatTheChainKnows compares every event of every
// class with a list: the selectors' names, the keys after them, and the data.
func TestClassesEmitTheLayoutsThatTheChainKnows(t *testing.T) {
	t.Parallel()
	all, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, class := range all {
		for _, event := range schemaOf(t, class.Name).Events() {
			if err := event.Unsupported(); err != nil {
				t.Errorf("%s: %s: got %v, want an event that can be decoded", class.Name, event.Name, err)
			}
			fmt.Fprintf(&got, "%s %s\n", class.Name, spell(event))
		}
	}
	want, err := os.ReadFile("testdata/events.txt")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got.String(), "\n")); diff != "" {
		t.Errorf("the events of the classes (-testdata/events.txt +got):\n%s", diff)
	}
}

// spell formats a layout like the list.
func spell(event *abi.EventLayout) string {
	var keys, data []string
	for _, param := range event.Params {
		typed := param.Name + ":" + shortType(param.Type.Name)
		if param.Source == abi.FromKeys {
			keys = append(keys, typed)
		} else {
			data = append(data, typed)
		}
	}
	return fmt.Sprintf("%s %v %v", strings.Join(event.Path, "."), keys, data)
}

var modules = regexp.MustCompile(`(\w+::)+(\w)`)

// shortType removes the modules from a type's name.
func shortType(name string) string {
	return strings.ReplaceAll(modules.ReplaceAllString(name, "$2"), "::<", "<")
}

// selectors are the selectors on the real chain, for which indexers look.
var selectors = []struct{ class, event, selector string }{
	{"erc20_keyed", "Transfer", "0x99cd8bde557814842a3121e8ddfd433a539b8c9f14bf31ebf108d12e6196e9"},
	{"erc20_keyed", "Approval", "0x134692b230b9e1ffa39098904722134159652b09c5bc41d88d6698779d228ff"},
	{"erc721_keyed", "ApprovalForAll", "0x6ad9ed7b6318f1bcffefe19df9aeb40d22c36bed567e1925a5ccde0536edd"},
	{"erc1155", "TransferSingle", "0x182d859c0807ba9db63baf8b9d9fdbfeb885d820be6e206b9dab626d995c433"},
	{"erc1155", "TransferBatch", "0x2563683c757f3abe19c4b7237e2285d8993417ddffe0b54a19eb212ea574b08"},
	{"udc", "ContractDeployed", "0x26b160f10156dea0639bec90696772c640b9706a47f5b8c52ea1abe5858b34d"},
	{"upgradable_v1", "Upgraded", "0x2db340e6c609371026731f47050d3976552c89b4fbb012941663841c59d1af3"},
	{"token_bridge", "DepositHandled", "0x374396cb322ab5ffd35ddb8627514609289d22c07d039ead5327782f61bb833"},
	{"token_bridge", "WithdrawInitiated", "0x282f521c69b2bc696552b9e141009d3c84f2df75e2e7b7716644d31e60f23b1"},
	{"token_bridge_legacy", "deposit_handled", "0x221e5a5008f7a28564f0eaa32cdeb0848d10657c449aed3e15d12150a7c2db3"},
	{"token_bridge_legacy", "withdraw_initiated", "0x194fc63c49b0f07c8e7a78476844837255213824bd6cb81e0ccfb949921aad1"},
	{"privacy_pool_v2", "ViewingKeySet", "0x1321a492485b4f19851fb787ab3800a0030b595332cba93cd5fe40dfb5a4daf"},
	{"privacy_pool_v2", "Deposit", "0x9149d2123147c5f43d258257fef0b7b969db78269369ebcf5ebb9eef8592f2"},
	{"privacy_pool_v2", "Withdrawal", "0x2eed7e29b3502a726faf503ac4316b7101f3da813654e8df02c13449e03da8"},
	{"privacy_pool_v2", "OpenNoteCreated", "0x22330482fd296a27cf9096807b4a3622cd619d31cce42c1e55655914e8459ee"},
	{"privacy_pool_v2", "OpenNoteDeposited", "0x25b6da03c4858d11cb0708d5cb6be79b190fb32eb7a7ce83804e07cbbb9bead"},
	{"privacy_pool_v2", "EncNoteCreated", "0x23c20207be8b1ef4430c25eef8ce779c9745ebe04139555ae81bd4f8fdd6ec5"},
	{"privacy_pool_v2", "NoteUsed", "0x247fc60d782e0094e7f98c47f277d92a3345d07a436f1f56b27a9b62be2322e"},
	{"privacy_pool_v2", "ExternalContractInvoked", "0xa8fb36d0894f5e87797c38533a55c4486a1f35e9e9eced10f995b9639a8955"},
	{"privacy_pool_v2", "AuditorPublicKeySet", "0x1201d99a15f3d88fe402ca349f486e5d3f92bd6bf41c0990d74b48c0f7b2ea1"},
	{"privacy_pool_v2", "ScreenerPublicKeySet", "0x24a3c770102a21d765f1e5478b480aeb39ebc6f0a158cef07e722d74564009f"},
	{"privacy_pool_v2", "FeeAmountSet", "0x3a71cae33f889d328d50250566d1f55971af0792b89c5b3f5fbea1f7aafc4d7"},
	{"privacy_pool_v2", "FeeCollectorSet", "0x125aaf53a346c4e00244d4b9b35ef8366df1831e45931cd22d8d0211eea7347"},
	{"privacy_pool_v2", "ProofValidityBlocksSet", "0x35ded6c81008684ea271437e09bf788dda262449efb89b0ef0ad492e0a81381"},
	{"privacy_pool_v2", "OpenNoteDepositorBlockSet", "0x1559ab4cffe5da273f7b9a981d025ee6ff6661f7b6f12f5e5e45c66b7a70b83"},
}

func TestEventsHaveTheSelectorsOfTheRealChain(t *testing.T) {
	t.Parallel()
	for _, known := range selectors {
		name, err := schemaOf(t, known.class).EventName([]starknet.Felt{starknet.MustFelt(known.selector)})
		if err != nil || name != known.event {
			t.Errorf("%s, selector %s: got %q, %v, want %s", known.class, known.selector, name, err, known.event)
		}
	}
}

func schemaOf(tb testing.TB, name string) *abi.Schema {
	tb.Helper()
	class, err := ByName(name)
	if err != nil {
		tb.Fatal(err)
	}
	schema, err := class.Schema()
	if err != nil {
		tb.Fatal(err)
	}
	return schema
}
