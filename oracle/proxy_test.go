package oracle

import (
	"testing"

	"astrolabe/starknet"
	"astrolabe/starknet/abi"
)

// proxied models blocks in which a proxy moves a token to one recipient after
// the other; block n sets its implementation to set[n], if that is not zero.
func proxied(t *testing.T, set ...uint64) *Model {
	t.Helper()
	const u256 = `{"type":"struct","name":"Uint256","size":2,"members":[{"name":"low","type":"felt","offset":0},{"name":"high","type":"felt","offset":1}]}`
	moved := func(name string) string {
		return `[` + u256 + `,{"type":"event","name":"Transfer","keys":[],"data":[{"name":"from_","type":"felt"},{"name":"to","type":"felt"},{"name":"` + name + `","type":"Uint256"}]}]`
	}
	m := &Model{Chain: "SN_MAIN", Classes: map[starknet.Felt]*abi.Schema{}}
	for hash, text := range map[uint64]string{9: `[{"type":"function","name":"__default__","inputs":[],"outputs":[]}]`, 20: moved("value"), 721: moved("tokenId")} {
		schema, err := abi.Compile([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		m.Classes[starknet.FeltFromUint64(hash)] = schema
	}
	token := starknet.FeltFromUint64(1)
	for n, class := range set {
		b := Block{}
		b.BlockNumber = uint64(n) //nolint:gosec // A small index.
		b.Transactions = make([]starknet.TransactionWithReceipt, 1)
		b.Transactions[0].Receipt.Events = []starknet.Event{{FromAddress: token, Keys: []starknet.Felt{starknet.Selector("Transfer")},
			Data: []starknet.Felt{{}, recipient(n), starknet.FeltFromUint64(5), {}}}}
		if n == 0 {
			b.Diff.DeployedContracts = []starknet.DeployedContract{{Address: token, ClassHash: starknet.FeltFromUint64(9)}}
		}
		if class != 0 {
			b.Diff.StorageDiffs = []starknet.StorageDiff{{Address: token, StorageEntries: []starknet.StorageEntry{
				{Key: starknet.Selector("Proxy_implementation_hash"), Value: starknet.FeltFromUint64(class)},
			}}}
		}
		m.Blocks = append(m.Blocks, b)
	}
	m.derive()
	return m
}

// recipient is who receives the token in a block.
func recipient(n int) starknet.Felt { return starknet.FeltFromUint64(100 + uint64(n)) } //nolint:gosec // A small index.

// The blocks are: not set up, set up, as it was, upgraded to another standard,
// as it is; and the same without the upgrade, as after a reorg.
func TestWhoReceivesThroughAProxyIsKnownWhileItsImplementationIs(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		set  []uint64
		want []any
	}{
		"upgraded":      {[]uint64{0, 20, 0, 721, 0}, []any{nil, true, true, nil, true}},
		"not any more":  {[]uint64{0, 20, 0, 0, 0}, []any{nil, true, true, true, true}},
		"never set up":  {[]uint64{0, 0}, []any{nil, nil}},
		"to an unknown": {[]uint64{20, 404, 0}, []any{true, true, nil}},
	} {
		m := proxied(t, test.set...)
		for n, want := range test.want {
			got := m.intelligence(recipient(n))
			exact := got["coverage"].(object)["status"] == "exact"
			if got["hasReceivedFunds"] != want || exact != (want != nil) {
				t.Errorf("%s, block %d: hasReceivedFunds is %v with coverage %v, want %v", name, n, got["hasReceivedFunds"], got["coverage"], want)
			}
		}
	}
}

func TestAContractIsAnAccountIfItsProxyExecutesOne(t *testing.T) {
	t.Parallel()
	account, err := abi.Compile([]byte(`[{"type":"function","name":"__execute__","inputs":[],"outputs":[]},{"type":"function","name":"is_valid_signature","inputs":[],"outputs":[]}]`))
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		set  []uint64
		want any
	}{
		"of an account":          {[]uint64{30, 0}, true},
		"of a token":             {[]uint64{20, 0}, false},
		"upgraded to an account": {[]uint64{20, 30}, true},
		"no account any more":    {[]uint64{30, 20}, false},
		"never set up":           {[]uint64{0, 0}, nil},
		"upgraded to an unknown": {[]uint64{30, 404}, nil},
	} {
		m := proxied(t, test.set...)
		m.Classes[starknet.FeltFromUint64(30)] = account
		if got := m.isAccountAt(starknet.FeltFromUint64(1)); got != test.want {
			t.Errorf("%s: isAccount is %v, want %v", name, got, test.want)
		}
	}
}
