package commitment

import (
	"errors"
	"testing"

	"astrolabe/starknet"
)

func TestTheHashOfAHeaderOfStarknet0141(t *testing.T) {
	t.Parallel()
	var header starknet.BlockHeader
	readJSON(t, "testdata/header_sepolia_4072139.json", &header)
	hash := func() starknet.Felt {
		got, err := BlockHash(sepolia, PoseidonL2Gas, &header, Stated(&header))
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	if got := hash(); got != header.BlockHash {
		t.Errorf("got %v, want %v", got, header.BlockHash)
	}
	header.L2GasPrice.PriceInFri = starknet.FeltFromUint64(1)
	if got := hash(); got == header.BlockHash {
		t.Errorf("with another price of L2 gas: got the same hash %v, want another", got)
	}
}

func TestRealStateDiffsOfTheIntegrationChainAreReproduced(t *testing.T) {
	t.Parallel()
	var cases []struct {
		Block uint64
		Hash  starknet.Felt
		Diff  starknet.StateDiff `json:"state_diff"`
	}
	readJSON(t, "testdata/state_diffs.json", &cases)
	for i := range cases {
		if got := StateDiff(&cases[i].Diff); got != cases[i].Hash {
			t.Errorf("block %d: got %s, want %s", cases[i].Block, got, cases[i].Hash)
		}
	}
}

func TestTheVersionDecidesTheFormula(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		version string
		number  uint64
		want    Formula
	}{
		{"", 832, BeforeEvents},
		{"", 833, Pedersen},
		{"0.13.1.1", 1000, Pedersen},
		{"0.13.2", 1000, Poseidon},
		{"0.13.3", 1000, Poseidon},
		{"0.13.4", 1000, PoseidonL2Gas},
		{"0.14.1", 1000, PoseidonL2Gas},
		{"1.0.0", 0, PoseidonL2Gas},
	} {
		header := starknet.BlockHeader{PreConfirmedHeader: starknet.PreConfirmedHeader{BlockNumber: c.number, StarknetVersion: c.version}}
		if got, err := FormulaOf(mainnet, &header); err != nil || got != c.want {
			t.Errorf("%q at block %d: got %d, %v, want %d", c.version, c.number, got, err, c.want)
		}
	}
	for _, version := range []string{"x", "0.13", "0.13.x", "0.14.0.1.2", "-1.0.0", "0..1"} {
		header := starknet.BlockHeader{PreConfirmedHeader: starknet.PreConfirmedHeader{StarknetVersion: version}}
		if got, err := FormulaOf(mainnet, &header); !errors.Is(err, ErrUnknownVersion) {
			t.Errorf("%q: got %d, %v, want %v", version, got, err, ErrUnknownVersion)
		}
	}
}

// plainRoot computes the root with one node per bit of the key, as the
// definition of the tree has it.
func plainRoot(hash pairHash, leaves []starknet.Felt, height int) (child starknet.Felt, path int) {
	if height == 0 {
		return leaves[0], 0
	}
	half := uint64(1) << (height - 1)
	if uint64(len(leaves)) <= half {
		child, path = plainRoot(hash, leaves, height-1)
		return child, path + 1
	}
	left, leftPath := plainRoot(hash, leaves[:half], height-1)
	right, rightPath := plainRoot(hash, leaves[half:], height-1)
	return hash(edge(hash, left, leftPath), edge(hash, right, rightPath)), 0
}

func TestTreesOfEverySizeAreThoseOfTheDefinition(t *testing.T) {
	t.Parallel()
	var leaves []starknet.Felt
	if got := root(starknet.Poseidon, leaves); !got.IsZero() {
		t.Errorf("got %s for no leaves, want zero", got)
	}
	for n := range uint64(70) {
		leaves = append(leaves, starknet.FeltFromUint64(n+1))
		child, path := plainRoot(starknet.Poseidon, leaves, treeHeight)
		want := edge(starknet.Poseidon, child, path)
		if got := root(starknet.Poseidon, leaves); got != want {
			t.Errorf("%d leaves: got %s, want %s", n+1, got, want)
		}
	}
}
