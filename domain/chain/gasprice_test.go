package chain

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"astrolabe/domain/facts"
	"astrolabe/starknet"
)

// TestAPlaceholderIsNotAGasPrice holds headers as a node writes them against the
// prices that the chain had; those with a block are of real blocks.
func TestAPlaceholderIsNotAGasPrice(t *testing.T) {
	t.Parallel()
	type prices [6]uint64 // L1 gas, L1 data gas and L2 gas, each in wei and FRI
	number := func(n uint64) *starknet.Uint256 { return new(starknet.Uint256(starknet.FeltFromUint64(n))) }
	wei := func(n uint64) *GasPrice { return &GasPrice{Wei: number(n)} }
	fri := func(n uint64) *GasPrice { return &GasPrice{Fri: number(n)} }
	both := func(wei, fri uint64) *GasPrice { return &GasPrice{Wei: number(wei), Fri: number(fri)} }
	for name, test := range map[string]struct {
		version string
		header  prices
		want    [3]*GasPrice // of L1 gas, L1 data gas and L2 gas
	}{
		"mainnet 0, without a price":      {"", prices{0, 1, 1, 1, 1, 1}, [3]*GasPrice{}},
		"mainnet 2889, without a version": {"", prices{0x1086b5efe4, 1, 1, 1, 1, 1}, [3]*GasPrice{wei(0x1086b5efe4)}},
		"mainnet 11817":                   {"0.10.1", prices{0x27ad16775, 1, 1, 1, 1, 1}, [3]*GasPrice{wei(0x27ad16775)}},
		"Sepolia 0":                       {"0.12.3", prices{0x3e617dc5, 0, 1, 1, 1, 1}, [3]*GasPrice{wei(0x3e617dc5)}},
		"Sepolia 40000":                   {"0.13.0", prices{0x11b32d413b, 0x14681755674, 1, 1, 1, 1}, [3]*GasPrice{both(0x11b32d413b, 0x14681755674)}},
		"Sepolia 56377":                   {"0.13.1", prices{20, 30, 40, 50, 1, 1}, [3]*GasPrice{both(20, 30), both(40, 50)}},
		"mainnet 763497, data for 1 wei":  {"0.13.2.1", prices{0x3a4ce776d, 0x52a359fc7003, 1, 0x16ad, 1, 1}, [3]*GasPrice{both(0x3a4ce776d, 0x52a359fc7003), both(1, 0x16ad)}},
		"the last without L2 gas":         {"0.13.3", prices{2, 3, 4, 5, 6, 7}, [3]*GasPrice{both(2, 3), both(4, 5)}},
		"the first with L2 gas":           {"0.13.4", prices{2, 3, 4, 5, 6, 7}, [3]*GasPrice{both(2, 3), both(4, 5), both(6, 7)}},
		"of today":                        {"0.14.1", prices{2, 3, 4, 5, 6, 7}, [3]*GasPrice{both(2, 3), both(4, 5), both(6, 7)}},
		"of today, with placeholders":     {"0.14.1", prices{0, 0, 1, 1, 0, 1}, [3]*GasPrice{}},
		"of today, in one fee token":      {"0.14.1", prices{2, 0, 0, 3, 4, 0}, [3]*GasPrice{wei(2), fri(3), wei(4)}},
		"of an unknown version":           {"devnet", prices{2, 3, 4, 5, 6, 7}, [3]*GasPrice{wei(2)}},
	} {
		price := func(i int) starknet.ResourcePrice {
			return starknet.ResourcePrice{PriceInWei: starknet.FeltFromUint64(test.header[i]), PriceInFri: starknet.FeltFromUint64(test.header[i+1])}
		}
		b := &Block{Header: &facts.Header{Version: test.version, L1Gas: price(0), L1DataGas: price(2), L2Gas: price(4)}}
		if diff := cmp.Diff(test.want, [3]*GasPrice{b.L1GasPrice(), b.L1DataGasPrice(), b.L2GasPrice()}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestZeroGasIsUnknown(t *testing.T) {
	t.Parallel()
	tx := &TxFacts{}
	if got := tx.Gas(); got != nil {
		t.Errorf("receipt without gas: got %+v, want nil", got)
	}
	tx.Resources.L2Gas = 5
	if got := tx.Gas(); got == nil || *got != (starknet.ExecutionResources{L2Gas: 5}) {
		t.Errorf("got %+v, want 5 of L2 gas", got)
	}
}
