package sim

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"astrolabe/sim/chain"
)

// TestRecordedChainReplaysByteForByte records a chain with a reorg and a
// client's class, and compares every response of the replay with the
// original's.
func TestRecordedChainReplaysByteForByte(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "chain")
	n := testNode(t, Config{Blocks: 50, Window: 20, Record: path})
	original := connect(t, n)
	_, declare, _ := broadcasts(t, n)
	declare["nonce"] = mustNonce(t, n)
	sign(t, n, declare, sender(n).Key)
	var added map[string]string
	original.result(&added, "starknet_addDeclareTransaction", declare)
	if err := n.Mine(3); err != nil {
		t.Fatal(err)
	}
	if err := n.Reorg(5); err != nil {
		t.Fatal(err)
	}
	if err := n.Mine(4); err != nil {
		t.Fatal(err)
	}
	copied, err := replay(path, Config{Window: 20}, testDocuments(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = copied.Close(); _ = n.Close() })
	second := connect(t, copied)
	for number := range n.Head().Header.BlockNumber + 1 {
		for _, method := range []string{"getBlockWithReceipts", "getStateUpdate", "getBlockWithTxs"} {
			body := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"method":"starknet_%s","params":[{"block_number":%d}]}`, method, number)
			if a, b := original.post(body), second.post(body); !bytes.Equal(a, b) {
				t.Fatalf("%s of block %d: got\n%.300s\nwant\n%.300s", method, number, b, a)
			}
		}
	}
	for _, c := range []client{original, second} {
		if code := c.code("starknet_call", callOf(n.network.Strk, "totalSupply"), at(3)); code != 24 {
			t.Errorf("the state of a block outside of the window: got code %d, want 24", code)
		}
	}
	var supplies [2][]string
	original.result(&supplies[0], "starknet_call", callOf(n.network.Strk, "totalSupply"), "latest")
	second.result(&supplies[1], "starknet_call", callOf(n.network.Strk, "totalSupply"), "latest")
	if fmt.Sprint(supplies[0]) != fmt.Sprint(supplies[1]) {
		t.Errorf("the replayed state: got %v, want %v", supplies[1], supplies[0])
	}
	var class struct {
		ABI string `json:"abi"`
	}
	second.result(&class, "starknet_getClass", "latest", added["class_hash"])
}

func TestAnotherFileIsNotARecording(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte("{}\nsomething else"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := replay(path, Config{}, testDocuments(t)); !errors.Is(err, chain.ErrNotARecording) {
		t.Errorf("replayed: got %v, want %v", err, chain.ErrNotARecording)
	}
	if _, err := newNode(Config{Record: path}, testDocuments(t)); !errors.Is(err, os.ErrExist) {
		t.Errorf("recorded over: got %v, want %v", err, os.ErrExist)
	}
}
