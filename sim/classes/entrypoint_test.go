package classes

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"astrolabe/starknet"
	"astrolabe/starknet/abi"
)

// functions are the calls of the simulated chain and its readers, by their
// selectors on the real chain, with their parameters and results.
var functions = []struct{ class, selector, signature string }{
	{"account", "0x15d40a3d6ca2ac30f4031e42be28da9b056fef9bb7357ac5e85627ee876e5ad", "__execute__(calls Array<Call>) Array<Span<felt252>>"},
	{"erc20_keyed", "0x361458367e696363fbcc70777d07ebbd2394e89fd0adcaf147faccd1d294d60", "name() ByteArray"},
	{"erc20_keyed", "0x216b05c387bab9ac31918a3e61672f4618601f3c598a2f3f2710f37053e1ea4", "symbol() ByteArray"},
	{"erc20_keyed", "0x4c4fb1ab068f6039d5780c68dd0fa2f8742cceb3426d19667778ca7f3518a9", "decimals() u8"},
	{"erc20_keyed", "0x1557182e4359a1f0c6301278e8f5b35a776ab58d39892581e357578fb287836", "total_supply() u256"},
	{"erc20_keyed", "0x80aa9fdbfaf9615e4afc7f5f722e265daca5ccc655360fa5ccacf9c267936d", "totalSupply() u256"},
	{"erc20_keyed", "0x35a73cd311a05d46deda634c5ee045db92f811b4e74bca4437fcb5302b7af33", "balance_of(account ContractAddress) u256"},
	{"erc20_keyed", "0x2e4263afad30923c891518314c3c95dbe830a16874e8abc5777a9a20b54c76e", "balanceOf(account ContractAddress) u256"},
	{"erc20_legacy", "0x361458367e696363fbcc70777d07ebbd2394e89fd0adcaf147faccd1d294d60", "name() felt252"},
	{"privacy_pool_v1", "0x246333a752c1ac637ff1591c5c885e27d56060d241a29aad8475072da0777db", "apply_actions(actions Span<ServerAction>)"},
	{"privacy_pool_v2", "0x246333a752c1ac637ff1591c5c885e27d56060d241a29aad8475072da0777db", "apply_actions(actions Span<ServerAction>, screening Option<ScreeningAttestation>)"},
	{"oddities", "0x402925cce9218828b3ac9a72ac249103f8448a1e1d73c3efaf5da992625043", "privacy_invoke(value felt252)"},
}

func TestFunctionsHaveTheSelectorsOfTheRealChain(t *testing.T) {
	t.Parallel()
	for _, known := range functions {
		function := schemaOf(t, known.class).Function(starknet.MustFelt(known.selector))
		if function == nil || signature(function) != known.signature {
			t.Errorf("%s, selector %s: got %s, want %s", known.class, known.selector, signature(function), known.signature)
		}
	}
}

func TestServerActionsAreInTheOrderOfTheRealPool(t *testing.T) {
	t.Parallel()
	want := []string{
		"WriteOnce", "Append", "TransferFrom", "TransferTo", "EmitViewingKeySet", "EmitWithdrawal", "EmitDeposit",
		"EmitOpenNoteCreated", "EmitEncNoteCreated", "EmitNoteUsed", "Invoke", "InvokeWithComputation",
	}
	for _, class := range []string{"privacy_pool_v1", "privacy_pool_v2"} {
		var got []string
		for _, variant := range schemaOf(t, class).Function(starknet.Selector("apply_actions")).Inputs[0].Type.Elem.Members {
			got = append(got, variant.Name)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("the actions of %s (-want +got):\n%s", class, diff)
		}
	}
}

// handlers are the L1 handlers for the messages of the bridges on Ethereum, by
// their real selectors.
var handlers = []struct{ class, selector, name string }{
	{"token_bridge", "0x1b64b1b3b690b43b9b514fb81377518f4039cd3e4f4914d8a6bdf01d679fb19", "handle_token_deposit"},
	{"token_bridge", "0x8bce41827dd5484d80312a2e43bc42a896e3fcf75bf84c2b49339168dfa00a", "handle_deposit_with_message"},
	{"token_bridge", "0x3d78c7ddffebbba7bd7263963b2e0e86b2ed9e990a4fc1b9aed7acd11b37dbc", "handle_token_deployment"},
	{"token_bridge_legacy", "0x2d757788a8d8d6f21d1cd40bce38a8222d70654214e96ff95d8086e684fbee5", "handle_deposit"},
}

func TestBridgesHandleTheMessagesOfTheRealOnes(t *testing.T) {
	t.Parallel()
	for _, known := range handlers {
		handler := schemaOf(t, known.class).L1Handler(starknet.MustFelt(known.selector))
		if handler == nil || handler.Name != known.name {
			t.Errorf("%s, selector %s: got handler %s, want %s", known.class, known.selector, signature(handler), known.name)
		}
	}
}

// TestEverythingCanBeDecoded fails if a class uses a type that the decoder does
// not support.
func TestEverythingCanBeDecoded(t *testing.T) {
	t.Parallel()
	all, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, class := range all {
		var document struct {
			Points map[string][]struct {
				Selector starknet.Felt `json:"selector"`
			} `json:"entry_points_by_type"`
		}
		if err := json.Unmarshal(class.Document, &document); err != nil {
			t.Fatal(err)
		}
		schema := schemaOf(t, class.Name)
		for _, point := range document.Points["EXTERNAL"] {
			check(t, class.Name, schema.Function(point.Selector))
		}
		for _, point := range document.Points["L1_HANDLER"] {
			check(t, class.Name, schema.L1Handler(point.Selector))
		}
		if len(document.Points["CONSTRUCTOR"]) > 0 {
			check(t, class.Name, schema.Constructor())
		}
	}
}

func check(t *testing.T, class string, function *abi.Function) {
	t.Helper()
	if function == nil {
		t.Errorf("%s: got an entry point without a function in the ABI, want one for each", class)
		return
	}
	if function.Selector.IsZero() {
		return // a fallback, which takes any calldata
	}
	if err := function.UnsupportedInputs(); err != nil {
		t.Errorf("%s: the parameters of %s: got %v, want no error", class, signature(function), err)
	}
	if err := function.UnsupportedOutputs(); err != nil {
		t.Errorf("%s: the result of %s: got %v, want no error", class, signature(function), err)
	}
}

// signature formats a function with its types.
func signature(function *abi.Function) string {
	if function == nil {
		return "nothing"
	}
	text := function.Name + "("
	for i, input := range function.Inputs {
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprintf("%s %s", input.Name, shortType(input.Type.Name))
	}
	text += ")"
	for _, output := range function.Outputs {
		text += " " + shortType(output.Type.Name)
	}
	return text
}
