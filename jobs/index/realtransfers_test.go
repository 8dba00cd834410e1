package index

import (
	"fmt"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/starknet"
)

// The reasons why a Transfer event of a real block has no row. ERC-20 and
// ERC-721 share the old layout, with all four felts in the data, so reading it
// requires the ABI of the class in force.
const (
	ofProxy   = " without a row: the class in force is a Cairo 0 proxy, and the class that it executes is not in the data"
	ofUnknown = " without a row: the class in force is not in the data"
)

// realTransfers are the rows and the events without a row of every real block
// that has Transfer events, by layout.
var realTransfers = map[string]map[string]int{
	"SN_MAIN/2889":     {"k1_d4" + ofUnknown: 33},
	"SN_MAIN/11817":    {"k1_d4" + ofUnknown: 93},
	"SN_MAIN/16259":    {"k1_d4" + ofUnknown: 350},
	"SN_MAIN/19199":    {"k1_d4" + ofUnknown: 551},
	"SN_MAIN/763497":   {"k3_d2": 4, "k5_d0": 1, "k1_d4" + ofUnknown: 69},
	"SN_SEPOLIA/6":     {"k1_d4" + ofProxy: 1},
	"SN_SEPOLIA/18":    {"k1_d4" + ofUnknown: 13},
	"SN_SEPOLIA/40000": {"k3_d2": 6, "k1_d4" + ofUnknown: 13},
	"SN_SEPOLIA/56377": {"k1_d4" + ofUnknown: 46},
	"SN_SEPOLIA/56378": {"k3_d2": 9, "k1_d4" + ofUnknown: 51},
	"SN_SEPOLIA/56379": {"k3_d2": 13, "k1_d4" + ofUnknown: 42},
}

// checkTransfers compares the stored transfers of a run with the table.
func checkTransfers(t *testing.T, run []golden, stored []facts.Block, transfer starknet.Felt) {
	t.Helper()
	known := map[starknet.Felt]*facts.Class{}
	inForce := map[starknet.Felt]*facts.Class{}
	for i := range stored {
		b := &stored[i]
		for _, class := range b.Classes {
			known[class.Hash] = class
		}
		for _, change := range b.Changes {
			inForce[change.Address] = known[change.Class]
		}
		name := fmt.Sprintf("%s/%d", run[i].ChainID, b.Header.Number)
		if diff := gocmp.Diff(realTransfers[name], countTransfers(t, b, inForce, transfer), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("transfers of %s (-want +got):\n%s", name, diff)
		}
	}
}

// countTransfers counts the rows of a block by the layout of their event, and
// the Transfer events without one by layout and reason.
func countTransfers(t *testing.T, b *facts.Block, inForce map[starknet.Felt]*facts.Class, transfer starknet.Felt) map[string]int {
	t.Helper()
	counts, rows := map[string]int{}, b.Transfers
	for i := range b.Events {
		e := &b.Events[i]
		shape := fmt.Sprintf("k%d_d%d", len(e.Keys), len(e.Data))
		switch {
		case len(rows) > 0 && rows[0].TxIndex == e.TxIndex && rows[0].LogIndex == e.LogIndex:
			checkRow(t, e, &rows[0], shape)
			counts[shape]++
			rows = rows[1:]
		case len(e.Keys) > 0 && e.Keys[0] == transfer:
			counts[shape+reason(inForce[e.FromAddress], transfer)]++
		}
	}
	if len(rows) > 0 {
		t.Errorf("block %d: got %d transfers of no event, want none: %+v", b.Header.Number, len(rows), rows[0])
	}
	return counts
}

// reason returns why a Transfer event of a class has no row.
func reason(class *facts.Class, transfer starknet.Felt) string {
	if class == nil || class.Missing {
		return ofUnknown
	}
	for i := range class.Events {
		if class.Events[i].Selector == transfer {
			return " without a row although the ABI has the event"
		}
	}
	return ofProxy
}

// checkImplementations compares the stored proxy slots with those that the
// state updates of the data set: the ETH token and the bridge of Sepolia execute
// contracts that the block before deployed.
func checkImplementations(t *testing.T, c domain.Chain, stored []facts.Block) {
	t.Helper()
	want := map[string]string{}
	if c == domain.Sepolia && stored[0].Header.Number == 0 {
		want = map[string]string{
			"0x49d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7": "0x23be95f90bf41685e18a4356e57b0cfdc1da22bf382ead8b64108353915c1e5",
			"0x4c5772d1914fe6ce891b64eb35bf3522aeae1315647314aac58b01137607f3f": "0x6d8ff7b212b08760c82e4a8f354f6ebc69d748290fa38e92eb859726a88f379",
		}
	}
	got := map[string]string{}
	for i := range stored {
		for _, m := range stored[i].Implementations {
			if m.Origin != facts.Replaced || m.Family != facts.StarkGateAddress || m.Contract == nil {
				t.Errorf("block %d: got the implementation %+v, want a contract that the block sets", stored[i].Header.Number, m)
				continue
			}
			got[m.Address.String()] = m.Contract.String()
		}
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("implementations (-want +got):\n%s", diff)
	}
}

// checkRow compares a row with its event: sender, recipient and the halves of
// a number follow the selector, whether as keys or as data.
func checkRow(t *testing.T, e *facts.Event, row *facts.Transfer, shape string) {
	t.Helper()
	felts := append(e.Keys[1:len(e.Keys):len(e.Keys)], e.Data...)
	number, err := starknet.Uint256FromHalves(felts[2], felts[3])
	if err != nil {
		t.Fatal(err)
	}
	want := facts.Transfer{
		TxIndex: e.TxIndex, LogIndex: e.LogIndex, Standard: facts.ERC20,
		Token: e.FromAddress, From: felts[0], To: felts[1], Amount: &number,
	}
	if shape == "k5_d0" {
		want.Standard, want.Amount, want.TokenID = facts.ERC721, nil, &number
	}
	if diff := gocmp.Diff(&want, row); diff != "" {
		t.Errorf("transfer (-want as in the event +got):\n%s", diff)
	}
}
