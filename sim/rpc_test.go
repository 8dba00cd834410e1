package sim

import (
	"encoding/json"
	"testing"

	"astrolabe/sim/rpc"
	"astrolabe/starknet"
)

func TestErrorsHaveTheirCodes(t *testing.T) {
	t.Parallel()
	n := testNode(t, Config{Blocks: 40, Window: 30})
	c := connect(t, n)
	strk, nowhere := n.network.Strk, starknet.FeltFromUint64(0xdead)
	filter := func(chunk int, more map[string]any) map[string]any {
		f := map[string]any{"chunk_size": chunk}
		for k, v := range more {
			f[k] = v
		}
		return f
	}
	for _, x := range []struct {
		name      string
		code      int
		method    string
		arguments []any
	}{
		{"block beyond the head", 24, "starknet_getBlockWithTxHashes", []any{at(41)}},
		{"block out of the window", 24, "starknet_getBlockWithReceipts", []any{at(3)}},
		{"unknown block hash", 24, "starknet_getStateUpdate", []any{byHash(nowhere)}},
		{"state out of the window", 24, "starknet_getNonce", []any{at(3), strk}},
		{"unknown tag", -32602, "starknet_getBlockWithTxs", []any{"pending"}},
		{"no block id", -32602, "starknet_getBlockWithTxs", []any{}},
		{"too many arguments", -32602, "starknet_blockNumber", []any{1}},
		{"unknown method", -32601, "starknet_nothing", []any{}},
		{"no contract", 20, "starknet_getNonce", []any{"latest", nowhere}},
		{"no contract to call", 20, "starknet_call", []any{callOf(nowhere, "name"), "latest"}},
		{"no storage", 20, "starknet_getStorageAt", []any{nowhere, "0x1", "latest"}},
		{"no class there", 20, "starknet_getClassAt", []any{"latest", nowhere}},
		{"no entry point", 21, "starknet_call", []any{callOf(strk, "fly"), "latest"}},
		{"a call that fails", 40, "starknet_call", []any{callOf(strk, "balanceOf"), "latest"}},
		{"no such index", 27, "starknet_getTransactionByBlockIdAndIndex", []any{at(20), 9999}},
		{"no such class", 28, "starknet_getClass", []any{"latest", nowhere}},
		{"no such compiled class", 28, "starknet_getCompiledCasm", []any{nowhere}},
		{"no such transaction", 29, "starknet_getTransactionByHash", []any{nowhere}},
		{"no such receipt", 29, "starknet_getTransactionReceipt", []any{nowhere}},
		{"no such status", 29, "starknet_getTransactionStatus", []any{nowhere}},
		{"no such trace", 29, "starknet_traceTransaction", []any{nowhere}},
		{"no such L1 transaction", 29, "starknet_getMessagesStatus", []any{nowhere}},
		{"an L1 transaction of another block", 29, "starknet_getMessagesStatus", []any{rpc.L1Transaction(9999)}},
		{"page too large", 31, "starknet_getEvents", []any{filter(1025, nil)}},
		{"page too small", -32602, "starknet_getEvents", []any{filter(0, nil)}},
		{"foreign continuation", 33, "starknet_getEvents", []any{filter(10, map[string]any{"continuation_token": "x"})}},
		{"continuation out of range", 33, "starknet_getEvents", []any{filter(10, map[string]any{"continuation_token": "7-0-0", "from_block": at(20)})}},
		{"too many keys", 34, "starknet_getEvents", []any{filter(10, map[string]any{"keys": make([][]string, 17)})}},
		{"proof of an old block", 24, "starknet_getStorageProof", []any{at(3)}},
		{"proof of a block in the making", -32602, "starknet_getStorageProof", []any{"pre_confirmed"}},
		{"unknown flag", -32602, "starknet_getBlockWithTxs", []any{"latest", []string{"INCLUDE_ALL"}}},
	} {
		if code := c.code(x.method, x.arguments...); code != x.code {
			t.Errorf("%s: got code %d, want %d", x.name, code, x.code)
		}
	}
}

func TestPagesOfEventsAreComplete(t *testing.T) {
	t.Parallel()
	n := readOnly(t)
	c := connect(t, n)
	type page struct {
		Events []starknet.EmittedEvent `json:"events"`
		Token  string                  `json:"continuation_token"`
	}
	walk := func(filter map[string]any) (all []starknet.EmittedEvent) {
		for {
			var p page
			c.result(&p, "starknet_getEvents", filter)
			all = append(all, p.Events...)
			if p.Token == "" {
				return all
			}
			filter["continuation_token"] = p.Token
		}
	}
	var want []starknet.EmittedEvent
	strk, transfer := n.network.Strk, starknet.Selector("Transfer")
	for number := uint64(6); number <= 20; number++ {
		b, err := n.Block(number)
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range b.Receipts {
			for j, e := range r.Events {
				if e.FromAddress == strk && e.Keys[0] == transfer {
					want = append(want, starknet.EmittedEvent{Event: e, TransactionHash: r.TransactionHash, TransactionIndex: uint64(i), EventIndex: uint64(j)})
				}
			}
		}
	}
	for _, chunk := range []int{1, 7, 1024} {
		got := walk(map[string]any{"from_block": at(6), "to_block": at(20), "address": []starknet.Felt{strk}, "keys": [][]starknet.Felt{{transfer, {}}}, "chunk_size": chunk})
		if len(got) != len(want) || len(want) < 10 {
			t.Fatalf("got %d events in chunks of %d, want %d, at least 10", len(got), chunk, len(want))
		}
		for i := range got {
			if got[i].TransactionHash != want[i].TransactionHash || got[i].EventIndex != want[i].EventIndex || got[i].TransactionIndex != want[i].TransactionIndex {
				t.Fatalf("event %d in chunks of %d: got %+v, want %+v", i, chunk, got[i], want[i])
			}
		}
	}
}

func TestBatchesAndBadRequests(t *testing.T) {
	t.Parallel()
	c := connect(t, testNode(t, Config{}))
	for request, want := range map[string]string{
		`[{"jsonrpc":"2.0","id":"a","method":"starknet_blockNumber"},{"jsonrpc":"2.0","method":"starknet_chainId"},{"jsonrpc":"2.0","id":null,"method":"x"}]`: `[{"jsonrpc":"2.0","id":"a","result":0},{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"Method not found"}}]`,
		`[]`:  `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request"}}`,
		`{`:   `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}`,
		`[1]`: `[{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request"}}]`,
		`17`:  `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request"}}`,
		`{"jsonrpc":"2.0","id":3,"method":"starknet_getNonce","params":{"contract_address":"0x1","block_id":"latest"}}`: `{"jsonrpc":"2.0","id":3,"error":{"code":20,"message":"Contract not found"}}`,
		`{"jsonrpc":"2.0","id":4,"method":"starknet_syncing","params":{}}`:                                              `{"jsonrpc":"2.0","id":4,"result":false}`,
	} {
		if got := string(c.post([]byte(request))); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", request, got, want)
		}
	}
}

// TestHistoricalReadsAreOfTheirBlock compares balances at old blocks with the
// node's responses when those blocks were the newest.
func TestHistoricalReadsAreOfTheirBlock(t *testing.T) {
	t.Parallel()
	n := testNode(t, Config{Blocks: 10})
	c := connect(t, n)
	read := func(block any) string {
		r := c.call("starknet_call", callOf(n.network.Strk, "totalSupply"), block)
		return string(r.Result)
	}
	then := map[uint64]string{}
	for range 30 {
		if err := n.Mine(1); err != nil {
			t.Fatal(err)
		}
		then[n.Head().Header.BlockNumber] = read("latest")
	}
	distinct := map[string]bool{}
	for number, answer := range then {
		if got := read(at(number)); got != answer {
			t.Errorf("block %d: got %s, want %s as before", number, got, answer)
		}
		distinct[answer] = true
	}
	if len(distinct) < 10 {
		t.Errorf("got %d values of the supply, want at least 10", len(distinct))
	}
}

func TestWritesEnterTheNextBlock(t *testing.T) {
	t.Parallel()
	n := testNode(t, Config{Blocks: 20})
	c := connect(t, n)
	invoke, declare, deploy := broadcasts(t, n)
	var hashes []starknet.Felt
	for _, x := range []struct {
		method string
		tx     any
	}{{"Invoke", invoke}, {"Declare", declare}, {"DeployAccount", deploy}} {
		var added struct {
			Hash starknet.Felt `json:"transaction_hash"`
		}
		c.result(&added, "starknet_add"+x.method+"Transaction", x.tx)
		hashes = append(hashes, added.Hash)
		if code := c.code("starknet_add"+x.method+"Transaction", x.tx); code != 59 && code != 51 {
			t.Errorf("%s a second time: got code %d, want 59 or 51", x.method, code)
		}
	}
	status := func(hash starknet.Felt) string {
		var s struct {
			Finality  string `json:"finality_status"`
			Execution string `json:"execution_status"`
		}
		c.result(&s, "starknet_getTransactionStatus", hash)
		return s.Finality + " " + s.Execution
	}
	if got := status(hashes[0]); got != "PRE_CONFIRMED SUCCEEDED" {
		t.Errorf("before the block: got %s, want PRE_CONFIRMED SUCCEEDED", got)
	}
	if err := n.Mine(1); err != nil {
		t.Fatal(err)
	}
	b := n.Head()
	for i, hash := range hashes {
		if b.Transactions[i].Hash != hash || status(hash) != "ACCEPTED_ON_L2 SUCCEEDED" {
			t.Errorf("transaction %d: got %s with status %s, want %s with ACCEPTED_ON_L2 SUCCEEDED", i, b.Transactions[i].Hash, status(hash), hash)
		}
	}
	if err := n.Mine(15); err != nil {
		t.Fatal(err)
	}
	if got := status(hashes[0]); got != "ACCEPTED_ON_L1 SUCCEEDED" {
		t.Errorf("15 blocks later: got %s, want ACCEPTED_ON_L1 SUCCEEDED", got)
	}
}

func TestWritesAreRefusedWithTheirCodes(t *testing.T) {
	t.Parallel()
	n := testNode(t, Config{Blocks: 20})
	c := connect(t, n)
	altered := func(original map[string]any, changes map[string]any) map[string]any {
		text, err := json.Marshal(original)
		if err != nil {
			t.Fatal(err)
		}
		var tx map[string]any
		if err := json.Unmarshal(text, &tx); err != nil {
			t.Fatal(err)
		}
		for k, v := range changes {
			tx[k] = v
		}
		return tx
	}
	signed := func(original map[string]any, changes map[string]any) map[string]any {
		tx := altered(original, changes)
		sign(t, n, tx, sender(n).Key)
		return tx
	}
	invoke, declare, deploy := broadcasts(t, n)
	nonce := mustNonce(t, n)
	small := map[string]string{"max_amount": "0x1", "max_price_per_unit": "0x1"}
	for _, x := range []struct {
		name   string
		code   int
		method string
		tx     any
	}{
		{"nonce ahead", 52, "Invoke", altered(invoke, map[string]any{"nonce": "0xfff"})},
		{"no account", 58, "Invoke", altered(invoke, map[string]any{"sender_address": n.network.Strk})},
		{"no signature", 55, "Invoke", altered(invoke, map[string]any{"signature": []string{}})},
		{"another's signature", 55, "Invoke", altered(invoke, map[string]any{"signature": declare["signature"]})},
		{"another's signature", 55, "Declare", altered(signed(declare, map[string]any{"nonce": nonce}), map[string]any{"signature": invoke["signature"]})},
		{"another's signature", 55, "DeployAccount", altered(deploy, map[string]any{"signature": invoke["signature"]})},
		{"changed after it was signed", 55, "Invoke", altered(invoke, map[string]any{"tip": "0x1"})},
		{"another compiled class hash", 60, "Declare", signed(declare, map[string]any{"compiled_class_hash": "0x123", "nonce": nonce})},
		{"old version", 61, "Invoke", altered(invoke, map[string]any{"version": "0x1"})},
		{"bounds too low", 53, "Invoke", signed(invoke, map[string]any{"resource_bounds": map[string]any{"l1_gas": small, "l2_gas": small, "l1_data_gas": small}})},
		{"wrong method", -32602, "Invoke", deploy},
		{"no money", 54, "DeployAccount", deploy},
		{"unknown class", 28, "DeployAccount", altered(deploy, map[string]any{"class_hash": "0x999"})},
		{"declared already", 51, "Declare", signed(declare, map[string]any{"contract_class": n.library.Named("account").Document, "nonce": nonce})},
		{"class of another time", 62, "Declare", altered(declare, map[string]any{"contract_class": map[string]any{"sierra_program": []string{}, "contract_class_version": "0.2.0", "entry_points_by_type": map[string]any{}}})},
		{"no class", -32602, "Declare", altered(declare, map[string]any{"contract_class": nil})},
		{"no transaction", -32602, "Invoke", 5},
	} {
		if code := c.code("starknet_add"+x.method+"Transaction", x.tx); code != x.code {
			t.Errorf("%s: got code %d, want %d", x.name, code, x.code)
		}
	}
}

func TestASimulationChecksTheSignatureUnlessToldNotTo(t *testing.T) {
	t.Parallel()
	n := testNode(t, Config{Blocks: 20})
	c := connect(t, n)
	invoke, declare, _ := broadcasts(t, n)
	invoke["signature"] = declare["signature"]
	for _, x := range []struct {
		method    string
		arguments func(flags []string) []any
	}{
		{"starknet_simulateTransactions", func(flags []string) []any { return []any{"latest", []any{invoke}, flags} }},
		{"starknet_estimateFee", func(flags []string) []any { return []any{[]any{invoke}, flags, "latest"} }},
	} {
		if code := c.code(x.method, x.arguments([]string{})...); code != 41 {
			t.Errorf("%s with another's signature: %d, want 41", x.method, code)
		}
		if r := c.call(x.method, x.arguments([]string{"SKIP_VALIDATE"})...); r.Error != nil {
			t.Errorf("%s without validation: %+v, want no error", x.method, *r.Error)
		}
	}
}
