package node

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"astrolabe/domain/chain"
	"astrolabe/starknet"
)

func TestInconsistentBlockIsRejected(t *testing.T) {
	t.Parallel()
	text := string(readReal(t, filepath.Join(realData(t), "SN_SEPOLIA/blocks/56377.json")))
	var block starknet.BlockWithReceipts
	if err := json.Unmarshal([]byte(text), &block); err != nil {
		t.Fatal(err)
	}
	replace := func(old, replacement string) string {
		if !strings.Contains(text, old) {
			t.Fatalf("got a block without %s, want it in there", old)
		}
		return strings.Replace(text, old, replacement, 1)
	}
	first, second := block.Transactions[0].Receipt.TransactionHash, block.Transactions[1].Receipt.TransactionHash
	at := AtNumber(56377)
	for name, invalid := range map[string]struct {
		id   BlockID
		text string
	}{
		"another block":          {AtNumber(56376), text},
		"another hash":           {AtHash(first), text},
		"not accepted on L1":     {L1Accepted, replace(`"status":"ACCEPTED_ON_L1"`, `"status":"ACCEPTED_ON_L2"`)},
		"pre-confirmed":          {at, replace(`"status":"ACCEPTED_ON_L1"`, `"status":"PRE_CONFIRMED"`)},
		"unknown status":         {at, replace(`"status":"ACCEPTED_ON_L1"`, `"status":"REJECTED"`)},
		"no hash":                {at, replace(block.BlockHash.String(), "0x0")},
		"more transactions":      {at, replace(fmt.Sprintf(`"transaction_count":%d`, block.TransactionCount), fmt.Sprintf(`"transaction_count":%d`, block.TransactionCount+1))},
		"fewer events":           {at, replace(fmt.Sprintf(`"event_count":%d`, block.EventCount), fmt.Sprintf(`"event_count":%d`, block.EventCount-1))},
		"the same receipt twice": {at, replace(second.String(), first.String())},
		"a receipt without hash": {at, replace(first.String(), "0x0")},
		"no receipt":             {at, replace(`"receipt":{`, `"receipt":null,"x":{`)},
		"a receipt of a declare": {at, replace(`"receipt":{"type":"INVOKE"`, `"receipt":{"type":"DECLARE"`)},
		"a receipt in doubt":     {at, replace(`"finality_status":"ACCEPTED_ON_L1"`, `"finality_status":"PRE_CONFIRMED"`)},
		"an unknown outcome":     {at, replace(`"execution_status":"SUCCEEDED"`, `"execution_status":"MAYBE"`)},
		"an unknown type":        {at, replace(`"transaction":{"type":"INVOKE"`, `"transaction":{"type":"OTHER"`)},
		"an unknown version":     {at, replace(`"version":"0x1"`, `"version":"0x7"`)},
		"a query version":        {at, replace(`"version":"0x1"`, `"version":"0x100000000000000000000000000000001"`)},
		"a felt out of range":    {at, replace(block.NewRoot.String(), "0x800000000000011000000000000000000000000000000000000000000000001")},
		"a felt as a number":     {at, replace(`"`+block.NewRoot.String()+`"`, "1")},
	} {
		n := newFakeNode(t)
		n.on("starknet_getBlockWithReceipts", result(invalid.text))
		p := openPool(t, nil, n)
		if _, err := p.BlockWithReceipts(t.Context(), invalid.id); !errors.Is(err, ErrInvalidAnswer) {
			t.Errorf("%s: got %v, want %v", name, err, ErrInvalidAnswer)
		}
	}
}

func TestTypedCallsMatchTheSpecification(t *testing.T) {
	t.Parallel()
	n := newFakeNode(t)
	block := `{"status":"ACCEPTED_ON_L1","transactions":["0x1","0x2"],` + strings.Replace(header(5), `"transaction_count":0`, `"transaction_count":2`, 1)[1:]
	n.on("starknet_getBlockWithTxHashes", result(block))
	n.on("starknet_getClassHashAt", result(`"0x11"`))
	n.on("starknet_getNonce", result(`"0x12"`))
	n.on("starknet_getStorageAt", result(`"0x15"`))
	n.on("starknet_call", result(`["0x13", "0x14"]`))
	p := openPool(t, nil, n)
	contract, selector := starknet.MustFelt("0xc0"), starknet.MustFelt("0x5e")

	if got, err := p.Block(t.Context(), L1Accepted); err != nil || got.BlockNumber != 5 || len(got.Transactions) != 2 {
		t.Errorf("Block = %+v, %v, want number 5 with 2 transactions", got, err)
	}
	if got, err := p.ClassHashAt(t.Context(), AtNumber(7), contract); err != nil || got != starknet.MustFelt("0x11") {
		t.Errorf("ClassHashAt = %v, %v, want 0x11", got, err)
	}
	if got, err := p.Nonce(t.Context(), Latest, contract); err != nil || got != starknet.MustFelt("0x12") {
		t.Errorf("Nonce = %v, %v, want 0x12", got, err)
	}
	if got, err := p.StorageAt(t.Context(), AtNumber(7), contract, selector); err != nil || got != starknet.MustFelt("0x15") {
		t.Errorf("StorageAt = %v, %v, want 0x15", got, err)
	}
	if got, err := p.Call(t.Context(), AtHash(contract), contract, selector); err != nil || len(got) != 2 || got[1] != starknet.MustFelt("0x14") {
		t.Errorf("Call = %v, %v, want two felts, the second 0x14", got, err)
	}
	_, _ = p.Call(t.Context(), Latest, contract, selector, contract)
	for method, want := range map[string]string{
		"starknet_getBlockWithTxHashes": `["l1_accepted"]`,
		"starknet_getClassHashAt":       `[{"block_number":7},"0xc0"]`,
		"starknet_getNonce":             `["latest","0xc0"]`,
		"starknet_getStorageAt":         `["0xc0","0x5e",{"block_number":7}]`,
		"starknet_call":                 `[{"calldata":[],"contract_address":"0xc0","entry_point_selector":"0x5e"},{"block_hash":"0xc0"}]`,
	} {
		if got := n.calls(method); len(got) == 0 || string(got[0].Params) != want {
			t.Errorf("%s was at %s, want %s", method, got[0].Params, want)
		}
	}
	if got := n.calls("starknet_call")[1].Params; !bytes.Contains(got, []byte(`"calldata":["0xc0"]`)) {
		t.Errorf("the second call was %s, want the calldata 0xc0", got)
	}
	if _, err := p.Nonce(t.Context(), BlockID{}, contract); err == nil || len(n.calls("starknet_getNonce")) != 1 {
		t.Errorf("a call about no block: got %v after %d calls, want an error and no further call", err, len(n.calls("starknet_getNonce")))
	}
}

// TestClassIsTakenFromAnUpstreamThatProvesIt asks for real classes under their
// hash and under another one, of which only Sierra classes are faults.
func TestClassIsTakenFromAnUpstreamThatProvesIt(t *testing.T) {
	t.Parallel()
	kinds := map[bool]int{}
	for _, path := range realFiles(t, "SN_SEPOLIA/classes/*.json") {
		text, other := readReal(t, path), starknet.MustFelt("0x1")
		hash := starknet.MustFelt(strings.TrimSuffix(filepath.Base(path), ".json"))
		n := newFakeNode(t)
		n.on("starknet_getClass", result(string(text)))
		p := openPool(t, nil, n)
		sierra := bytes.Contains(text, []byte(`"sierra_program"`))
		if kinds[sierra]++; kinds[sierra] > 1 {
			continue
		}
		want := chain.ErrUnprovenClass
		if sierra {
			want = ErrInvalidAnswer
		}
		for range 2 {
			if _, err := p.Class(t.Context(), Latest, other); !errors.Is(err, want) {
				t.Errorf("%s under another hash: got %v, want %v", path, err, want)
			}
		}
		if sound := p.upstreams[0].circuit.sound(); sound == sierra {
			t.Errorf("%s under another hash: got a sound upstream: %t, want %t", path, sound, !sierra)
		}
		if sierra {
			continue
		}
		altered := newFakeNode(t)
		altered.on("starknet_getClass", result(strings.Replace(string(text), `"abi":[`, `"abi":[{"type":"event","name":"Lie"},`, 1)))
		lacking := newFakeNode(t)
		lacking.on("starknet_getClass", envelope(`{"jsonrpc":"2.0","id":%s,"error":{"code":28,"message":"no class"}}`))
		if _, err := openPool(t, nil, altered, lacking, n).Class(t.Context(), Latest, hash); err != nil {
			t.Errorf("%s, which one of three upstreams proves: got %v, want the class", path, err)
		}
		if _, err := openPool(t, nil, altered, lacking).Source().Class(t.Context(), other, hash); !errors.Is(err, chain.ErrUnprovenClass) {
			t.Errorf("%s, which no upstream proves: got %v, want %v", path, err, chain.ErrUnprovenClass)
		}
	}
	if kinds[true] == 0 || kinds[false] == 0 {
		t.Errorf("got %d Sierra and %d Cairo 0 classes, want some of both", kinds[true], kinds[false])
	}
}
