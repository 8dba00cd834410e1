package model_test

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"astrolabe/domain/facts"
	"astrolabe/repo/model"
	"astrolabe/starknet"
)

// envelopes are a small, a usual and a full one.
func envelopes() []model.Envelope {
	felt := starknet.FeltFromUint64
	largest := starknet.MustFelt("0x800000000000011000000000000000000000000000000000000000000000000")
	long := make([]starknet.Felt, 300)
	for i := range long {
		long[i] = felt(uint64(i) << 30) //nolint:gosec // A small index.
	}
	return []model.Envelope{
		{},
		{Signature: []starknet.Felt{largest, felt(1)}, MaxFee: new(felt(1 << 40))},
		{
			Signature: long, MaxFee: &starknet.Felt{}, PaymasterData: []starknet.Felt{{}}, AccountDeploymentData: []starknet.Felt{felt(1), felt(2)},
			ProofFacts: []starknet.Felt{largest}, CompiledClass: &largest, Salt: new(felt(256)),
			Terms: &facts.FeeTerms{
				Bounds: starknet.ResourceBounds{
					L1Gas:     starknet.ResourceBound{MaxAmount: 1<<64 - 1, MaxPricePerUnit: starknet.Uint128{Hi: 1<<64 - 1, Lo: 1<<64 - 1}},
					L1DataGas: starknet.ResourceBound{MaxPricePerUnit: starknet.Uint128{Lo: 7}},
					L2Gas:     starknet.ResourceBound{MaxAmount: 5},
				},
				Tip: 1<<64 - 1, NonceMode: starknet.AvailableOnL1, FeeMode: starknet.AvailableOnL2,
			},
		},
	}
}

func TestAnEnvelopeIsReadAsItWasPacked(t *testing.T) {
	t.Parallel()
	for i, want := range envelopes() {
		var got model.Envelope
		if err := got.Scan(want.Append(nil)); err != nil {
			t.Errorf("envelope %d: got %v, want no error", i, err)
		} else if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("envelope %d: -want +got\n%s", i, diff)
		}
	}
}

func TestAnEnvelopeThatIsCutOrExtendedIsMalformed(t *testing.T) {
	t.Parallel()
	for i, e := range envelopes() {
		packed := e.Append(nil)
		for n := range packed {
			if err := new(model.Envelope).Scan(packed[:n]); err == nil {
				t.Errorf("the first %d bytes of envelope %d: got no error, want one", n, i)
			}
		}
		if err := new(model.Envelope).Scan(append(packed, 0)); err == nil {
			t.Errorf("envelope %d with a byte too many: got no error, want one", i)
		}
	}
}

func FuzzEnvelope(f *testing.F) {
	for _, e := range envelopes() {
		f.Add(e.Append(nil))
	}
	f.Fuzz(func(t *testing.T, packed []byte) {
		var e model.Envelope
		if e.Scan(packed) == nil && !bytes.Equal(e.Append(nil), packed) {
			t.Errorf("got %x, want %x", e.Append(nil), packed)
		}
	})
}
