package sim

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"astrolabe/sim/contract"
	"astrolabe/starknet"
)

// contractNamed returns a contract of the economy.
func contractNamed(t testing.TB, n *Node, name string) starknet.Felt {
	t.Helper()
	for _, c := range n.Directory() {
		if c.Name == name {
			return c.Address
		}
	}
	t.Fatalf("got no contract %q, want one", name)
	return starknet.Felt{}
}

// slotHistory lists the names of the classes that a storage cell held, in order
// of the state diffs that changed it.
func slotHistory(t testing.TB, n *Node, address, slot starknet.Felt) (history []string) {
	t.Helper()
	for number := range uint64(longBlocks + 1) {
		b, err := n.Block(number)
		if err != nil {
			t.Fatal(err)
		}
		for _, diff := range b.StateUpdate.StateDiff.StorageDiffs {
			for _, e := range diff.StorageEntries {
				if class, ok := n.library.Class(e.Value); diff.Address == address && e.Key == slot && ok {
					history = append(history, class.Name)
				}
			}
		}
	}
	return history
}

func TestUpgradesOfProxiesAreInTheStateDiff(t *testing.T) {
	t.Parallel()
	n := readOnly(t)
	starkGate := starknet.MustFelt("0x1c76cd4f3f79786d9e5d1298f47170de4bf0222337c680c5377ec772d3ce96b")
	openZeppelin := starknet.MustFelt("0x3f1abe37754ee6ca6d8dfa1036089f78a07ebe8f3b1e336cdbf3274d25becd0")
	tokens, items := []string{contract.ERC20Cairo0, contract.ERC20Cairo0V2}, []string{contract.ERC721Cairo0, contract.ERC721Cairo0V2}
	for _, c := range []struct {
		name string
		slot starknet.Felt
		want []string
	}{
		{"proxied DAI", starkGate, tokens}, {"proxied FRAX", starkGate, tokens}, {"proxied collection", openZeppelin, items},
	} {
		if diff := cmp.Diff(c.want, slotHistory(t, n, contractNamed(t, n, c.name), c.slot)); diff != "" {
			t.Errorf("the implementations of %s differ (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestProxiesTransferInTheOldLayout(t *testing.T) {
	t.Parallel()
	n := readOnly(t)
	for _, name := range []string{"proxied DAI", "proxied FRAX", "proxied collection"} {
		proxy := contractNamed(t, n, name)
		count := 0
		for number := range uint64(longBlocks + 1) {
			b, err := n.Block(number)
			if err != nil {
				t.Fatal(err)
			}
			for i := range b.Receipts {
				for _, e := range b.Receipts[i].Events {
					if e.FromAddress != proxy || e.Keys[0] != starknet.Selector("Transfer") {
						continue
					}
					if count++; len(e.Keys) != 1 || len(e.Data) != 4 {
						t.Errorf("%s: a Transfer has %d keys and %d data felts, want 1 and 4", name, len(e.Keys), len(e.Data))
					}
				}
			}
		}
		if count < 20 {
			t.Errorf("%s has %d Transfers, want at least 20", name, count)
		}
	}
}

func TestAProxyBecomesAPlainContract(t *testing.T) {
	t.Parallel()
	n := readOnly(t)
	frax := contractNamed(t, n, "proxied FRAX")
	for number, want := range map[uint64]string{79: contract.ProxyStarkGate, 80: contract.ERC20Legacy, longBlocks: contract.ERC20Legacy} {
		hash, err := n.ClassHash(number, frax)
		if err != nil {
			t.Fatal(err)
		}
		if got := n.library.Named(want).Hash; got != hash {
			t.Errorf("the class after block %d is %s, want %s", number, hash, got)
		}
		supply, err := n.Call(number, frax, "totalSupply")
		if want := starknet.MustFelt("0xd3c21bcecceda1000000"); err != nil || supply[0] != want {
			t.Errorf("the supply after block %d is %v, %v, want %s", number, supply, err, want)
		}
	}
}
