package facts

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"astrolabe/starknet"
)

// goldenBlock is what is known of a real block beforehand.
type goldenBlock struct {
	Types     map[string]int `json:"tx_types"`
	Events    int            `json:"event_count"`
	Reverted  int            `json:"reverted_tx_count"`
	Transfers map[string]int `json:"transfer_events"`
	FromL1    []struct {
		TxIndex  int              `json:"tx_index"`
		Hash     starknet.Hash256 `json:"message_hash"`
		From     starknet.Felt    `json:"from_l1_address"`
		To       starknet.Felt    `json:"to_contract"`
		Selector starknet.Felt    `json:"selector"`
		Nonce    starknet.Felt    `json:"nonce"`
	} `json:"l1_to_l2_messages"`
	ToL1 []struct {
		TxIndex int             `json:"tx_index"`
		Index   int             `json:"msg_index"`
		From    starknet.Felt   `json:"from_address"`
		To      starknet.Felt   `json:"to_address"`
		Payload []starknet.Felt `json:"payload"`
	} `json:"l2_to_l1_messages"`
}

// everything is a chain that has every class and contract.
type everything struct{}

func (everything) HasClass(starknet.Felt) (bool, error)    { return true, nil }
func (everything) HasContract(starknet.Felt) (bool, error) { return true, nil }

// realBlocks derives every real block under a view, by its name. Blocks
// without a state update get an empty one.
func realBlocks(t *testing.T, at View) (derived map[string]Block, golden map[string]goldenBlock) {
	t.Helper()
	dir := realData(t)
	var document struct {
		Blocks map[string]goldenBlock `json:"blocks"`
	}
	readJSON(t, filepath.Join(dir, "golden.json"), &document)
	derived = map[string]Block{}
	for name := range document.Blocks {
		chain, number := filepath.Split(name)
		var block starknet.BlockWithReceipts
		readJSON(t, filepath.Join(dir, chain, "blocks", number+".json"), &block)
		update := starknet.StateUpdate{BlockHash: block.BlockHash, NewRoot: block.NewRoot}
		path := filepath.Join(dir, chain, "state_updates", number+".json")
		if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
			readJSON(t, path, &update)
		}
		written, err := ResolveWrites(SlotWrites(&update.StateDiff), everything{})
		if err != nil {
			t.Fatal(err)
		}
		b, err := Derive(&block, &update, Lookups{Implementations: written}, at)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		derived[name] = b
	}
	return derived, document.Blocks
}

func TestRealBlocksYieldTheKnownFacts(t *testing.T) {
	t.Parallel()
	derived, golden := realBlocks(t, unknown{})
	for name, want := range golden {
		got := derived[name]
		types, reverted := map[string]int{}, 0
		for i := range got.Transactions {
			tx := &got.Transactions[i]
			types[fmt.Sprintf("%s_v%d", tx.Type, tx.Version)]++
			if tx.Reverted {
				reverted++
			}
		}
		if fmt.Sprint(types) != fmt.Sprint(want.Types) || reverted != want.Reverted {
			t.Errorf("%s: got %v with %d reverted, want %v with %d", name, types, reverted, want.Types, want.Reverted)
		}
		if len(got.Events) != want.Events || got.Header.Events != want.Events {
			t.Errorf("%s: %d events, want %d", name, len(got.Events), want.Events)
		}
		checkMessages(t, name, got.Messages, &want)
	}
}

func checkMessages(t *testing.T, name string, got []Message, want *goldenBlock) {
	t.Helper()
	var fromL1, toL1 int
	for i := range got {
		switch m := &got[i]; m.Direction {
		case L1ToL2:
			if w := &want.FromL1[fromL1]; m.TxIndex != w.TxIndex || m.Hash != w.Hash || m.From != w.From || m.To != w.To || *m.Selector != w.Selector || *m.Nonce != w.Nonce {
				t.Errorf("%s: got the message %+v, want %+v", name, m, w)
			}
			fromL1++
		case L2ToL1:
			if w := &want.ToL1[toL1]; m.TxIndex != w.TxIndex || m.Index != w.Index || m.From != w.From || m.To != w.To || !slices.Equal(m.Payload, w.Payload) {
				t.Errorf("%s: got the message %+v, want %+v", name, m, w)
			}
			toL1++
		}
	}
	if fromL1 != len(want.FromL1) || toL1 != len(want.ToL1) {
		t.Errorf("%s: got %d messages from and %d to L1, want %d and %d", name, fromL1, toL1, len(want.FromL1), len(want.ToL1))
	}
}

func TestRealTransfersOfUnknownClassesAreTheUnambiguousOnes(t *testing.T) {
	t.Parallel()
	derived, golden := realBlocks(t, unknown{})
	seen := 0
	for name, want := range golden {
		found := map[Standard]int{}
		for _, transfer := range derived[name].Transfers {
			found[transfer.Standard]++
			seen++
		}
		if found[ERC20] != want.Transfers["k3_d2"] || found[ERC721] != want.Transfers["k5_d0"] {
			t.Errorf("%s: got the transfers %v, want %v", name, found, want.Transfers)
		}
	}
	if seen == 0 {
		t.Error("got no transfers, want some")
	}
}

func TestAllRealTransfersOfALegacyClassAreFound(t *testing.T) {
	t.Parallel()
	class := abiClass(cairo0ERC20)
	derived, golden := realBlocks(t, always{Before: class, After: class})
	for name, want := range golden {
		if got := len(derived[name].Transfers); got != want.Transfers["k1_d4"] {
			t.Errorf("%s: %d transfers, want %d", name, got, want.Transfers["k1_d4"])
		}
	}
}

// The state update of block 4 sets the slot of the ETH token to a contract of
// block 3.
func TestRealProxiesNameTheContractThatTheyExecute(t *testing.T) {
	t.Parallel()
	derived, _ := realBlocks(t, unknown{})
	eth, bridge := starknet.MustFelt("0x49d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7"), starknet.MustFelt("0x4c5772d1914fe6ce891b64eb35bf3522aeae1315647314aac58b01137607f3f")
	token, handler := starknet.MustFelt("0x23be95f90bf41685e18a4356e57b0cfdc1da22bf382ead8b64108353915c1e5"), starknet.MustFelt("0x6d8ff7b212b08760c82e4a8f354f6ebc69d748290fa38e92eb859726a88f379")
	want := []Implementation{
		{eth, Replaced, StarkGateAddress, Executed{Contract: &token}},
		{bridge, Replaced, StarkGateAddress, Executed{Contract: &handler}},
	}
	if diff := cmp.Diff(want, derived["SN_SEPOLIA/4"].Implementations); diff != "" {
		t.Errorf("implementations (-want +got):\n%s", diff)
	}
}

func TestRealTransfersOfAProxyAreTypedOnceItsImplementationIsKnown(t *testing.T) {
	t.Parallel()
	var document starknet.Class
	const name = "0xd0e183745e9dae3e4e78a8ffedcce0903fc4900beace4e0abf192d4c202da3"
	readJSON(t, filepath.Join(realData(t), "SN_SEPOLIA", "classes", name+".json"), &document)
	proxy := NewClass(starknet.MustFelt(name), document)
	implementation := StoredClass(felt(20), false, []byte(cairo0ERC20), false)
	for _, test := range []struct {
		name    string
		runtime Runtime
		typed   bool
	}{
		{"with its implementation", Runtime{Before: proxy, After: proxy, ImplementationBefore: implementation, ImplementationAfter: implementation}, true},
		{"without it", Runtime{Before: proxy, After: proxy}, false},
		{"of an unknown class", Runtime{}, false},
	} {
		derived, golden := realBlocks(t, always(test.runtime))
		for _, block := range []string{"SN_MAIN/2889", "SN_MAIN/11817", "SN_MAIN/16259", "SN_MAIN/19199"} {
			typed, unread := len(derived[block].Transfers), 0
			for _, row := range derived[block].Untyped {
				if row.Role == UntypedContract {
					unread += row.Events
				}
			}
			multi := 0 // events of ERC-1155 tokens, which this ERC-20 does not explain
			for i := range derived[block].Events {
				if keys := derived[block].Events[i].Keys; isCandidate(keys) && keys[0] != transfer {
					multi++
				}
			}
			want := [2]int{golden[block].Transfers["k1_d4"], multi}
			if !test.typed {
				want = [2]int{0, want[0] + multi}
			}
			if got := [2]int{typed, unread}; got != want {
				t.Errorf("%s, %s: %d transfers and %d untyped events, want %d and %d", block, test.name, got[0], got[1], want[0], want[1])
			}
		}
	}
}

func TestCallsOfRealAccountsAreRead(t *testing.T) {
	t.Parallel()
	derived, _ := realBlocks(t, unknown{})
	for name, b := range derived {
		for i := range b.Transactions {
			tx := &b.Transactions[i]
			if tx.Type != starknet.Invoke || tx.Version == 0 {
				continue
			}
			if calls, ok := Calls(tx); !ok || len(calls) == 0 {
				t.Errorf("%s, transaction %d: got the calls %v of %v, want at least one", name, i, calls, tx.Calldata)
			}
		}
	}
}

func TestRealDeploymentsHaveTheirTransaction(t *testing.T) {
	t.Parallel()
	derived, _ := realBlocks(t, unknown{})
	for name, want := range map[string]map[Evidence]int{
		"SN_MAIN/0":        {FromTransaction: 5},
		"SN_SEPOLIA/0":     {FromTransaction: 1, FromStateDiff: 2},
		"SN_SEPOLIA/56377": {FromTransaction: 1},
		"SN_SEPOLIA/56378": {FromDeployerEvent: 1},
	} {
		found := map[Evidence]int{}
		for _, d := range derived[name].Deployments {
			found[d.Evidence]++
		}
		if fmt.Sprint(found) != fmt.Sprint(want) {
			t.Errorf("%s: got %v, want %v", name, found, want)
		}
	}
}
