package facts

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"astrolabe/starknet"
)

// everyShape returns a transaction of each type and version, with a value in
// every field.
func everyShape() (txs []starknet.Transaction) {
	full := starknet.Transaction{
		SenderAddress: felt(10), ContractAddress: felt(11), EntryPointSelector: felt(12), ClassHash: felt(13), Nonce: felt(14),
		Calldata: felts(15), ConstructorCalldata: felts(16), Signature: felts(17, 18), ContractAddressSalt: felt(19), MaxFee: felt(20),
		CompiledClassHash: felt(21), Tip: 22, PaymasterData: felts(23), AccountDeploymentData: felts(24, 25), ProofFacts: felts(26),
		NonceDataAvailabilityMode: starknet.AvailableOnL2, FeeDataAvailabilityMode: starknet.AvailableOnL1,
		ResourceBounds: starknet.ResourceBounds{
			L1Gas:     starknet.ResourceBound{MaxAmount: 1 << 63, MaxPricePerUnit: starknet.Uint128{Hi: 1 << 63, Lo: 1}},
			L1DataGas: starknet.ResourceBound{MaxAmount: 27, MaxPricePerUnit: starknet.Uint128{Lo: 28}},
			L2Gas:     starknet.ResourceBound{MaxAmount: 29},
		},
	}
	for kind, versions := range map[starknet.TransactionType][]uint64{
		starknet.Invoke: {0, 1, 3}, starknet.Declare: {0, 1, 2, 3}, starknet.Deploy: {0, 1}, starknet.DeployAccount: {1, 3}, starknet.L1Handler: {0},
	} {
		for _, version := range versions {
			tx := full
			tx.Type, tx.Version.Number = kind, version
			txs = append(txs, tx)
		}
	}
	return txs
}

func TestTheOriginalOfATransactionIsWhatTheNodeSent(t *testing.T) {
	t.Parallel()
	check := func(name string, block *starknet.BlockWithReceipts) {
		for i, tx := range transactions(block) {
			sent, want := block.Transactions[i].Transaction, ""
			sent.Hash = starknet.Felt{}
			if text, err := sent.AppendJSON(nil); err == nil {
				want = string(text)
			}
			original := tx.Original()
			if got, err := original.AppendJSON(nil); err != nil || string(got) != want {
				t.Errorf("%s, transaction %d: got %v (-want +got):\n%s", name, i, err, cmp.Diff(want, string(got)))
			}
		}
	}
	check("every shape", blockOf(everyShape()...))
	files, err := filepath.Glob(filepath.Join(realData(t), "*", "blocks", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("got %d real blocks and %v, want some", len(files), err)
	}
	for _, file := range files {
		var block starknet.BlockWithReceipts
		readJSON(t, file, &block)
		check(file, &block)
	}
}

func TestAnL1DataGasBoundIsAFactOnlyIfItWasSigned(t *testing.T) {
	t.Parallel()
	one := starknet.ResourceBound{MaxAmount: 1}
	for name, test := range map[string]struct {
		bounds starknet.ResourceBounds
		want   *starknet.ResourceBound
	}{
		"L1 gas alone":      {starknet.ResourceBounds{L1Gas: one}, nil},
		"zero, with L2 gas": {starknet.ResourceBounds{L1Gas: one, L2Gas: one}, &starknet.ResourceBound{}},
		"all resources":     {starknet.ResourceBounds{L1Gas: one, L2Gas: one, L1DataGas: one}, &one},
	} {
		if diff := cmp.Diff(test.want, (&FeeTerms{Bounds: test.bounds}).L1DataGas()); diff != "" {
			t.Errorf("%s: -want +got\n%s", name, diff)
		}
	}
}
