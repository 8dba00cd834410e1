package sim

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"astrolabe/sim/fault"
	"astrolabe/sim/key"
	"astrolabe/sim/spectest"
	"astrolabe/starknet"
)

// predeployedAccount is an account as devnet_getPredeployedAccounts returns it.
type predeployedAccount struct {
	InitialBalance string        `json:"initial_balance"`
	Address        starknet.Felt `json:"address"`
	PublicKey      starknet.Felt `json:"public_key"`
	PrivateKey     starknet.Felt `json:"private_key"`
	Balance        *struct {
		Eth, Strk struct{ Amount, Unit string }
	} `json:"balance"`
}

func TestPredeployedAccountsAreFundedAndSign(t *testing.T) {
	t.Parallel()
	n := testNode(t, Config{Blocks: 3, Predeployed: 2, Seed: 5})
	c := connect(t, n)
	var accounts []predeployedAccount
	c.result(&accounts, "devnet_getPredeployedAccounts", true)
	if len(accounts) != 2 {
		t.Fatalf("there are %d accounts, want 2", len(accounts))
	}
	const initial = "1000000000000000000000"
	for _, a := range accounts {
		if a.InitialBalance != initial || a.Balance == nil || a.Balance.Eth.Amount != initial || a.Balance.Strk.Amount != initial || a.Balance.Strk.Unit != "FRI" {
			t.Errorf("%s has %+v, want %s of each", a.Address, a.Balance, initial)
		}
		if public := key.Key(a.PrivateKey).Public(); public != a.PublicKey {
			t.Errorf("the public key is %s, want %s", a.PublicKey, public)
		}
	}
	from, to := accounts[0], accounts[1]
	invoke, _, _ := broadcasts(t, n)
	invoke["sender_address"], invoke["nonce"] = from.Address, "0x0"
	invoke["calldata"] = []any{"0x1", n.network.Strk, starknet.Selector("transfer"), "0x3", to.Address, "0x64", "0x0"}
	sign(t, n, invoke, key.Key(from.PrivateKey))
	var sent struct{}
	c.result(&sent, "starknet_addInvokeTransaction", invoke)
	c.result(&sent, "devnet_createBlock")
	var balance struct{ Amount, Unit string }
	c.result(&balance, "devnet_getAccountBalance", to.Address)
	if want := "1000000000000000000100"; balance.Amount != want || balance.Unit != "FRI" {
		t.Errorf("the balance is %s %s, want %s FRI", balance.Amount, balance.Unit, want)
	}
	var plain []predeployedAccount
	c.result(&plain, "devnet_getPredeployedAccounts")
	if len(plain) != 2 || plain[0].Balance != nil || plain[1].Balance != nil {
		t.Errorf("without asking for balances: got %+v, want two accounts without them", plain)
	}
}

func TestMintedTokensArriveInTheNextBlock(t *testing.T) {
	t.Parallel()
	n := testNode(t, Config{Blocks: 3})
	c := connect(t, n)
	address := starknet.FeltFromUint64(0xabc)
	for _, x := range []struct {
		amount     any
		unit, want string
	}{
		{json.Number("1e21"), "WEI", "1000000000000000000000"}, {"3", "WEI", "1000000000000000000003"},
		{7.9, "FRI", "7"}, {json.Number("340282366920938463463374607431768211456"), "FRI", "340282366920938463463374607431768211463"},
	} {
		var minted struct {
			Balance string        `json:"new_balance"`
			Unit    string        `json:"unit"`
			Hash    starknet.Felt `json:"tx_hash"`
		}
		c.result(&minted, "devnet_mint", address, x.amount, x.unit)
		if minted.Balance != x.want || minted.Unit != x.unit || minted.Hash.IsZero() {
			t.Errorf("minting %v %s gives %+v, want %s", x.amount, x.unit, minted, x.want)
		}
	}
	var block, balance map[string]string
	c.result(&block, "devnet_createBlock")
	c.result(&balance, "devnet_getAccountBalance", address, "FRI", "latest")
	if diff := cmp.Diff(map[string]string{"amount": "340282366920938463463374607431768211463", "unit": "FRI"}, balance); diff != "" {
		t.Errorf("the balance differs (-want +got):\n%s", diff)
	}
	for _, amount := range []any{-1, json.Number("1e999999999"), json.Number("1e78"), "x"} {
		if code := c.code("devnet_mint", address, amount); code != -32602 {
			t.Errorf("minting %v: %d, want -32602", amount, code)
		}
	}
}

func TestTimeIsSetAndIncreased(t *testing.T) {
	t.Parallel()
	n := testNode(t, Config{Blocks: 3})
	c := connect(t, n)
	now := n.Head().Header.Timestamp
	var answer struct {
		Time      uint64         `json:"block_timestamp"`
		Increased uint64         `json:"timestamp_increased_by"`
		Hash      *starknet.Felt `json:"block_hash"`
	}
	c.result(&answer, "devnet_setTime", now+1000)
	if head := n.Head().Header; head.Timestamp != now+1000 || answer.Time != now+1000 || *answer.Hash != head.BlockHash {
		t.Errorf("the block after setTime has %d, want %d; the answer is %+v", head.Timestamp, now+1000, answer)
	}
	answer.Hash = nil
	c.result(&answer, "devnet_setTime", now+5000, false)
	if head := n.Head().Header; head.Timestamp != now+1000 || answer.Hash != nil {
		t.Errorf("without generate_block: got a head of %d and the answer %+v, want %d and no hash", head.Timestamp, answer, now+1000)
	}
	must(t, n.Mine(1))
	if got := n.Head().Header.Timestamp; got != now+5000 {
		t.Errorf("the next block has %d, want %d", got, now+5000)
	}
	c.result(&answer, "devnet_increaseTime", 100)
	if got := n.Head().Header.Timestamp; got < now+5106 || got > now+5107 || answer.Increased != 100 {
		t.Errorf("the block after increaseTime has %d, want %d or one more", got, now+5106)
	}
	if code := c.code("devnet_setTime", now); code != -32602 {
		t.Errorf("a time in the past: %d, want -32602", code)
	}
}

func TestAbortedBlocksAreGone(t *testing.T) {
	t.Parallel()
	n := testNode(t, Config{Blocks: 20})
	c := connect(t, n)
	before := hashes(t, n)
	var answer struct{ Aborted []starknet.Felt }
	c.result(&answer, "devnet_abortBlocks", at(18))
	if diff := cmp.Diff(before[18:21], answer.Aborted); diff != "" {
		t.Errorf("the aborted blocks differ (-want +got):\n%s", diff)
	}
	if code := c.code("starknet_getBlockWithTxHashes", at(18)); code != 24 {
		t.Errorf("an aborted block: %d, want 24", code)
	}
	if code := c.code("starknet_getStateUpdate", byHash(before[19])); code != 24 {
		t.Errorf("an aborted block by its hash: %d, want 24", code)
	}
	must(t, n.Mine(1))
	if after := hashes(t, n); after[17] != before[17] || after[18] == before[18] || len(after) != 19 {
		t.Errorf("got %d blocks, 17 is %s and 18 is %s; want 19, %s and another than %s", len(after), after[17], after[18], before[17], before[18])
	}
	if code := c.code("devnet_abortBlocks", at(3)); code != -32602 {
		t.Errorf("aborting blocks that are accepted on L1: %d, want -32602", code)
	}
	put(t, n, fault.Fault{Kind: fault.L1Reorg})
	c.result(&answer, "devnet_abortBlocks", at(3))
	must(t, n.Mine(30))
	readAlong(t, c, n.network.ID)
	archived := testNode(t, Config{Blocks: 3, Record: filepath.Join(t.TempDir(), "recording")})
	if code := connect(t, archived).code("devnet_abortBlocks", at(3)); code != -32602 {
		t.Errorf("aborting blocks of a recorded chain: %d, want -32602", code)
	}
	must(t, archived.Close())
}

func TestBlocksAreAcceptedOnL1OnDemand(t *testing.T) {
	t.Parallel()
	n := testNode(t, Config{Blocks: 20})
	c := connect(t, n)
	all := hashes(t, n)
	want := []starknet.Felt{all[15], all[14], all[13], all[12], all[11], all[10], all[9]}
	var answer struct{ Accepted []starknet.Felt }
	c.result(&answer, "devnet_acceptOnL1", at(15))
	if diff := cmp.Diff(want, answer.Accepted); diff != "" || n.L1Head() != 15 {
		t.Errorf("the head on L1 is %d; the accepted blocks differ (-want +got):\n%s", n.L1Head(), diff)
	}
	must(t, n.Mine(20))
	if n.L1Head() != 28 {
		t.Errorf("the head on L1 is %d, want 28", n.L1Head())
	}
}

func TestTheNodeDescribesItsMethods(t *testing.T) {
	t.Parallel()
	spec := spectest.Read(t)
	c := connect(t, readOnly(t))
	var document struct {
		OpenRPC string
		Methods []struct {
			Name   string
			Params []struct{ Name string }
		}
	}
	c.result(&document, "rpc.discover")
	served := map[string][]string{}
	for _, m := range document.Methods {
		served[m.Name] = []string{}
		for _, p := range m.Params {
			served[m.Name] = append(served[m.Name], p.Name)
		}
	}
	for _, file := range []string{"starknet_api_openrpc.json", "starknet_trace_api_openrpc.json", "starknet_write_api.json"} {
		methods, _ := spec[file]["methods"].([]any)
		for _, m := range methods {
			m := m.(map[string]any)
			var want []string
			for _, p := range m["params"].([]any) {
				want = append(want, p.(map[string]any)["name"].(string))
			}
			if got, ok := served[m["name"].(string)]; !ok || !slices.Equal(got, want) {
				t.Errorf("%s has the arguments %q, want %q", m["name"], got, want)
			}
		}
	}
	var config struct {
		ChainID string `json:"chain_id"`
	}
	c.result(&config, "devnet_getConfig")
	if config.ChainID != "SN_MAIN" {
		t.Errorf("the chain is %q, want SN_MAIN", config.ChainID)
	}
}

// TestTheGuideNamesEveryFaultAndMethod keeps docs/simulator.md complete.
func TestTheGuideNamesEveryFaultAndMethod(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../docs/simulator.md")
	if err != nil {
		t.Fatal(err)
	}
	var document struct{ Methods []struct{ Name string } }
	connect(t, readOnly(t)).result(&document, "rpc.discover")
	var names []string
	for _, m := range document.Methods {
		if !strings.HasPrefix(m.Name, "starknet_") {
			names = append(names, m.Name)
		}
	}
	for _, kind := range fault.Kinds {
		names = append(names, string(kind))
	}
	for _, name := range names {
		if !bytes.Contains(guide, []byte("`"+name+"`")) {
			t.Errorf("got no %s in docs/simulator.md, want every method named", name)
		}
	}
}
