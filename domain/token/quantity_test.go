package token_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/token"
	"astrolabe/starknet"
)

const prime = "0x800000000000011000000000000000000000000000000000000000000000000" // less one

func TestAQuantityIsOneFeltOrTheHalvesOfAU256(t *testing.T) {
	t.Parallel()
	for want, result := range map[string][]starknet.Felt{
		"0": felts("0x0"), "18": felts("0x12"),
		"3618502788666131213697322783095070105623107215331596699973092056135872020480": felts(prime),
		"0 ": felts("0x0", "0x0"), "340282366920938463463374607431768211456": felts("0x0", "0x1"),
		"115792089237316195423570985008687907853269984665640564039457584007913129639935": felts("0xffffffffffffffffffffffffffffffff", "0xffffffffffffffffffffffffffffffff"),
	} {
		if got, ok := token.ReadQuantity(result); !ok || got.String() != want && got.String()+" " != want {
			t.Errorf("%v is read as %s, %v, want %s", result, got, ok, want)
		}
	}
	for name, result := range map[string][]starknet.Felt{
		"nothing": nil, "three felts": felts("0x1", "0x0", "0x0"),
		"a low half of 129 bits":  felts("0x100000000000000000000000000000000", "0x0"),
		"a high half of 129 bits": felts("0x0", "0x100000000000000000000000000000000"),
	} {
		if got, ok := token.ReadQuantity(result); ok {
			t.Errorf("%s: got %s, want it rejected", name, got)
		}
	}
}

func FuzzReadQuantity(f *testing.F) {
	f.Add(make([]byte, 32))
	f.Add(make([]byte, 64))
	f.Add(slices.Repeat([]byte{7}, 96))
	f.Fuzz(func(t *testing.T, raw []byte) {
		var result []starknet.Felt
		for chunk := range slices.Chunk(raw, 32) {
			felt, err := starknet.FeltFromBytes(chunk)
			if err != nil {
				return
			}
			result = append(result, felt)
		}
		number, ok := token.ReadQuantity(result)
		if !ok {
			return
		}
		low, high := number.Halves()
		again := []starknet.Felt{low, high}
		if len(result) == 1 {
			again = []starknet.Felt{starknet.Felt(number)}
		}
		if !slices.Equal(again, result) {
			t.Fatalf("%v: got %s, which is written as %v, want the same felts", result, number, again)
		}
	})
}

// script is a node whose contracts answer by their selectors.
type script map[starknet.Felt]chain.Answer

// Find implements chain.Node.
func (script) Find(context.Context, chain.BlockID) (chain.StateBlock, bool, error) {
	return chain.StateBlock{Number: 7, Hash: new(starknet.FeltFromUint64(0xb10c))}, true, nil
}

// Call implements chain.Node.
func (s script) Call(_ context.Context, _ chain.StateBlock, call chain.ViewCall) (chain.Answer, error) {
	answer, has := s[call.Selector]
	if !has {
		return chain.Answer{NoView: true}, nil
	}
	return answer, nil
}

// KnowsTransaction implements chain.Node.
func (script) KnowsTransaction(context.Context, starknet.Felt) (bool, error) { return false, nil }

// empty is an index that holds nothing.
type empty struct{}

// Heads implements chain.Heads.
func (empty) Heads(context.Context) (map[domain.Chain]chain.Head, error) { return nil, nil }

// FinalizedBlock implements chain.FinalizedBlocks.
func (empty) FinalizedBlock(context.Context, domain.Chain, chain.BlockID) (*domain.BlockRef, error) {
	return nil, nil
}

func TestBothSpellingsOfAViewAreTried(t *testing.T) {
	t.Parallel()
	snake, camel := starknet.Selector("total_supply"), starknet.Selector("totalSupply")
	five := chain.Answer{Result: felts("0x5", "0x0")}
	for name, c := range map[string]struct {
		node script
		want string // empty: not found
	}{
		"the new one":                {script{snake: five}, "5"},
		"the old one":                {script{camel: five}, "5"},
		"both":                       {script{snake: five, camel: {Result: felts("0x6")}}, "5"},
		"the new one fails":          {script{snake: {Reverted: true}, camel: five}, "5"},
		"the new one says no number": {script{snake: {Result: felts("0x1", "0x2", "0x3")}, camel: five}, "5"},
		"neither":                    {script{}, ""},
		"no number at all":           {script{snake: {Result: []starknet.Felt{}}, camel: {Reverted: true}}, ""},
		"no contract":                {script{snake: {NoContract: true}, camel: five}, ""},
	} {
		quantities := token.NewQuantities(chain.NewStates(map[domain.Chain]chain.Node{domain.Mainnet: c.node}, empty{}, chain.NewStatuses(empty{}, time.Minute)))
		block, got, err := quantities.Supplies(t.Context(), domain.Mainnet, chain.BlockID{Tag: chain.Latest}, []starknet.Felt{{}})
		if err != nil || block.Number != 7 {
			t.Fatalf("got block %d, %v, want 7", block.Number, err)
		}
		switch {
		case c.want == "" && domain.CodeOf(got[0].Err) != domain.CodeNotFound:
			t.Errorf("%s: got %v and %v, want not_found", name, got[0].Raw, got[0].Err)
		case c.want != "" && (got[0].Err != nil || got[0].Raw.String() != c.want):
			t.Errorf("%s: %v, %v, want %s", name, got[0].Raw, got[0].Err, c.want)
		}
	}
}
