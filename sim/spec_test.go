package sim

import (
	"context"
	"encoding/json"
	"maps"
	"strings"
	"testing"
	"time"

	"astrolabe/sim/classes"
	"astrolabe/sim/key"
	"astrolabe/sim/key/keytest"
	"astrolabe/sim/rpc"
	"astrolabe/sim/spectest"
	"astrolabe/starknet"
)

// checked calls a method that must succeed and validates its result.
func checked(t *testing.T, spec spectest.Specification, c client, method string, arguments ...any) {
	t.Helper()
	r := c.call(method, arguments...)
	if r.Error != nil {
		t.Errorf("%s: got the error %+v, want a result", method, *r.Error)
		return
	}
	if err := spec.CheckResult(method, r.Result); err != nil {
		t.Errorf("%s: got %.400s (%v), want a result of the specification", method, r.Result, err)
	}
}

// TestEveryMethodAnswersAsSpecified validates a result of every method of the
// specification.
func TestEveryMethodAnswersAsSpecified(t *testing.T) {
	t.Parallel()
	spec := spectest.Read(t)
	n := testNode(t, Config{Blocks: 70})
	c := connect(t, n)
	strk := n.network.Strk
	b, err := n.Block(25)
	if err != nil {
		t.Fatal(err)
	}
	tx := b.Transactions[0].Hash
	account := n.library.Named("account").Hash
	invoke, declare, deploy := broadcasts(t, n)
	filter := map[string]any{"from_block": at(5), "to_block": "pre_confirmed", "chunk_size": 30, "address": strk, "keys": [][]string{{}}}
	message := map[string]any{
		"from_address": "0xae0Ee0A63A2cE6BaeEFFE56e7714FB4EFE48D419", "to_address": n.network.EthBridge,
		"entry_point_selector": starknet.Selector("handle_deposit"), "payload": []string{"0x5", "0x1", "0x0"},
	}
	latest := "latest"
	calls := map[string][][]any{
		"starknet_specVersion":        {{}},
		"starknet_chainId":            {{}},
		"starknet_blockNumber":        {{}},
		"starknet_blockHashAndNumber": {{}},
		"starknet_syncing":            {{}},

		"starknet_getBlockWithTxHashes":     {{latest}, {"l1_accepted"}, {"pre_confirmed"}, {at(0)}, {byHash(b.Header.BlockHash)}},
		"starknet_getBlockWithTxs":          {{latest}, {at(3)}, {"pre_confirmed"}, {at(0)}},
		"starknet_getBlockWithReceipts":     {{latest}, {"pre_confirmed"}},
		"starknet_getBlockTransactionCount": {{latest}, {"pre_confirmed"}},
		"starknet_getStateUpdate":           {{latest}, {"pre_confirmed"}, {at(46)}, {at(46), []starknet.Felt{n.network.Pool}}},

		"starknet_getTransactionByHash":            {{tx}, {tx, []string{"INCLUDE_PROOF_FACTS"}}},
		"starknet_getTransactionByBlockIdAndIndex": {{at(25), 0}},
		"starknet_getTransactionReceipt":           {{tx}},
		"starknet_getTransactionStatus":            {{tx}},
		"starknet_getMessagesStatus":               {{rpc.L1Transaction(1)}},
		"starknet_getEvents":                       {{filter}},

		"starknet_call":            {{callOf(strk, "name"), latest}, {callOf(strk, "balanceOf", n.network.Pool), at(30)}},
		"starknet_getStorageAt":    {{strk, starknet.Selector("name"), latest}, {strk, starknet.Selector("name"), latest, []string{"INCLUDE_LAST_UPDATE_BLOCK"}}},
		"starknet_getNonce":        {{latest, n.network.Forwarder}, {"pre_confirmed", n.network.Forwarder}},
		"starknet_getClassHashAt":  {{latest, strk}},
		"starknet_getClassAt":      {{latest, strk}},
		"starknet_getClass":        {{latest, account}},
		"starknet_getCompiledCasm": {{account}},
		"starknet_getStorageProof": {{latest}, {latest, []starknet.Felt{account}, []starknet.Felt{strk}, []any{map[string]any{"contract_address": strk, "storage_keys": []string{"0x1"}}}}},

		"starknet_estimateFee":            {{[]any{invoke, deploy}, []string{}, latest}, {[]any{invoke, declare}, []string{"SKIP_VALIDATE"}, latest}},
		"starknet_estimateMessageFee":     {{message, latest}},
		"starknet_simulateTransactions":   {{latest, []any{invoke, declare, deploy}, []string{}}, {latest, []any{invoke}, []string{"SKIP_FEE_CHARGE", "RETURN_INITIAL_READS"}}},
		"starknet_traceTransaction":       {{tx}},
		"starknet_traceBlockTransactions": {{at(22)}, {at(22), []string{"RETURN_INITIAL_READS"}}},

		"starknet_addInvokeTransaction":        {{invoke}},
		"starknet_addDeclareTransaction":       {{declare}},
		"starknet_addDeployAccountTransaction": {{deploy}},
	}
	for name, lists := range calls {
		for _, arguments := range lists {
			if !strings.Contains(name, "_add") {
				checked(t, spec, c, name, arguments...)
			}
		}
	}
	for _, name := range []string{"starknet_addInvokeTransaction", "starknet_addDeclareTransaction", "starknet_addDeployAccountTransaction"} {
		checked(t, spec, c, name, calls[name][0]...)
	}
	for _, document := range spec {
		methods, _ := document["methods"].([]any)
		for _, m := range methods {
			name := m.(map[string]any)["name"].(string)
			if calls[name] == nil && !strings.Contains(name, "subscri") && name != "starknet_proveTransaction" {
				t.Errorf("got no call of %s, want every method called", name)
			}
		}
	}
}

// TestEveryBlockIsAsSpecified validates blocks, state updates and traces of a
// chain with every shape.
func TestEveryBlockIsAsSpecified(t *testing.T) {
	t.Parallel()
	spec := spectest.Read(t)
	c := connect(t, readOnly(t))
	for number := range uint64(85) {
		checked(t, spec, c, "starknet_getBlockWithReceipts", at(number))
		checked(t, spec, c, "starknet_getBlockWithTxs", at(number), []string{"INCLUDE_PROOF_FACTS"})
		checked(t, spec, c, "starknet_getStateUpdate", at(number))
		checked(t, spec, c, "starknet_traceBlockTransactions", at(number))
	}
}

// TestNotificationsAreAsSpecified validates a message of every subscription.
func TestNotificationsAreAsSpecified(t *testing.T) {
	t.Parallel()
	spec := spectest.Read(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	n := testNode(t, Config{Blocks: 30})
	c := connect(t, n)
	for _, sub := range []struct {
		method, notification string
		arguments            map[string]any
	}{
		{"starknet_subscribeNewHeads", "starknet_subscriptionNewHeads", map[string]any{"block_id": at(28)}},
		{"starknet_subscribeEvents", "starknet_subscriptionEvents", map[string]any{"from_address": n.network.Strk, "finality_status": "PRE_CONFIRMED"}},
		{"starknet_subscribeNewTransactionReceipts", "starknet_subscriptionNewTransactionReceipts", map[string]any{"finality_status": []string{"PRE_CONFIRMED", "ACCEPTED_ON_L2"}}},
		{"starknet_subscribeNewTransactions", "starknet_subscriptionNewTransaction", map[string]any{}},
	} {
		s := c.socket(ctx)
		s.subscribe(sub.method, sub.arguments)
		if err := n.Mine(1); err != nil {
			t.Fatal(err)
		}
		m := s.next()
		if err := spec.CheckNotification(sub.notification, m.Params.Result); err != nil || m.Method != sub.notification {
			t.Errorf("%s: got %s, %v, want %s in %.300s", sub.method, m.Method, err, sub.notification, m.Params.Result)
		}
	}
	var added struct {
		Hash starknet.Felt `json:"transaction_hash"`
	}
	invoke, _, _ := broadcasts(t, n)
	c.result(&added, "starknet_addInvokeTransaction", invoke)
	s := c.socket(ctx)
	s.subscribe("starknet_subscribeTransactionStatus", map[string]any{"transaction_hash": added.Hash})
	m := s.next()
	if err := spec.CheckNotification("starknet_subscriptionTransactionStatus", m.Params.Result); err != nil {
		t.Error(err)
	}
	heads := c.socket(ctx)
	heads.subscribe("starknet_subscribeNewHeads", nil)
	if err := n.Reorg(2); err != nil {
		t.Fatal(err)
	}
	m = heads.next()
	if err := spec.CheckNotification("starknet_subscriptionReorg", m.Params.Result); err != nil || m.Method != "starknet_subscriptionReorg" {
		t.Errorf("got %s, %v, want starknet_subscriptionReorg", m.Method, err)
	}
}

func callOf(address starknet.Felt, function string, calldata ...starknet.Felt) map[string]any {
	if calldata == nil {
		calldata = []starknet.Felt{}
	}
	return map[string]any{"contract_address": address, "entry_point_selector": starknet.Selector(function), "calldata": calldata}
}

// broadcasts returns a transaction of each kind as a wallet would send it: a
// transfer and a declaration by a predeployed account, and the deployment of a
// funded account.
func broadcasts(t testing.TB, n *Node) (invoke, declare, deploy map[string]any) {
	t.Helper()
	count, _ := mustNonce(t, n).Uint64()
	bounds := map[string]any{
		"l1_gas":      map[string]string{"max_amount": "0x1e8480", "max_price_per_unit": "0x5af3107a4000"},
		"l1_data_gas": map[string]string{"max_amount": "0xf4240", "max_price_per_unit": "0x2540be400"},
		"l2_gas":      map[string]string{"max_amount": "0x77359400", "max_price_per_unit": "0x2540be400"},
	}
	common := func(kind string, nonce uint64) map[string]any {
		return map[string]any{
			"type": kind, "version": "0x3", "signature": []string{"0x1", "0x2"}, "nonce": starknet.FeltFromUint64(nonce),
			"resource_bounds": bounds, "tip": "0x0", "paymaster_data": []string{},
			"nonce_data_availability_mode": "L1", "fee_data_availability_mode": "L1",
		}
	}
	class := map[string]any{
		"sierra_program": []string{"0x1", "0x2", "0x3"}, "contract_class_version": "0.1.0", "abi": "[]",
		"entry_points_by_type": map[string]any{"CONSTRUCTOR": []any{}, "EXTERNAL": []any{}, "L1_HANDLER": []any{}},
	}
	salt, private := starknet.FeltFromUint64(77), key.Derive(starknet.FeltFromUint64(88), 0)
	accountClass := n.library.Named("account").Hash
	address := starknet.ContractAddress(starknet.Felt{}, salt, accountClass, []starknet.Felt{private.Public()})

	invoke = common("INVOKE", count)
	invoke["sender_address"], invoke["account_deployment_data"] = sender(n).Address, []string{}
	invoke["calldata"] = []any{"0x1", n.network.Strk, starknet.Selector("transfer"), "0x3", address, "0xde0b6b3a7640000", "0x0"}
	declare = common("DECLARE", count+1)
	declare["sender_address"], declare["account_deployment_data"] = sender(n).Address, []string{}
	declare["compiled_class_hash"], declare["contract_class"] = classes.CompiledHash(broadcasted(t, declare, class).Transaction.ClassHash), class
	deploy = common("DEPLOY_ACCOUNT", 0)
	deploy["contract_address_salt"], deploy["constructor_calldata"], deploy["class_hash"] = salt, []starknet.Felt{private.Public()}, accountClass
	sign(t, n, invoke, sender(n).Key)
	sign(t, n, declare, sender(n).Key)
	sign(t, n, deploy, private)
	return invoke, declare, deploy
}

// broadcasted decodes a transaction, with another class if that is not nil.
func broadcasted(t testing.TB, transaction map[string]any, class any) (b starknet.BroadcastedTransaction) {
	t.Helper()
	transaction = maps.Clone(transaction)
	if class != nil {
		transaction["contract_class"], transaction["compiled_class_hash"] = class, "0x0"
	}
	text, err := json.Marshal(transaction)
	if err == nil {
		err = json.Unmarshal(text, &b)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// sign signs a transaction as a wallet would.
func sign(t testing.TB, n *Node, transaction map[string]any, private key.Key) {
	t.Helper()
	b := broadcasted(t, transaction, nil)
	hash, err := b.Transaction.ComputeHash(n.network.ID)
	if err != nil {
		t.Fatal(err)
	}
	transaction["signature"] = keytest.Sign(private, hash)
}
