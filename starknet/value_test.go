package starknet

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

func TestUint256NeedsTwoHalvesOf128Bits(t *testing.T) {
	t.Parallel()
	full := MustFelt("0xffffffffffffffffffffffffffffffff")
	over := MustFelt("0x100000000000000000000000000000000")
	u, err := Uint256FromHalves(full, full)
	if err != nil || u.String() != "115792089237316195423570985008687907853269984665640564039457584007913129639935" {
		t.Errorf("the largest u256 is %v, %v", u, err)
	}
	if low, high := u.Halves(); low != full || high != full {
		t.Errorf("split into %v, %v", low, high)
	}
	one := FeltFromUint64(1)
	if u, err := Uint256FromHalves(one, one); err != nil || u.String() != "340282366920938463463374607431768211457" {
		t.Errorf("(1, 1) is %v, %v", u, err)
	}
	for _, halves := range [][2]Felt{{over, {}}, {{}, over}} {
		if _, err := Uint256FromHalves(halves[0], halves[1]); !errors.Is(err, ErrUintRange) {
			t.Errorf("%v gave %v", halves, err)
		}
	}
}

func TestByteArraysRoundTrip(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 30, 31, 32, 61, 62, 63, 100} {
		text := []byte(strings.Repeat("Ünïcode ", 20))[:n]
		felts := AppendByteArray(nil, text)
		tail := append(felts, FeltFromUint64(9))
		got, used, err := DecodeByteArray(tail)
		if err != nil || used != len(felts) || !bytes.Equal(got, text) {
			t.Errorf("%d bytes: %q, %d of %d felts, %v", n, got, used, len(felts), err)
		}
	}
	hello := []Felt{{}, MustShortString("hello"), FeltFromUint64(5)}
	if text, _, err := DecodeByteArray(hello); err != nil || string(text) != "hello" {
		t.Errorf("decoded %q, %v", text, err)
	}
}

func TestMalformedByteArraysAreRefused(t *testing.T) {
	t.Parallel()
	huge := MustFelt(largestFelt)
	for name, felts := range map[string][]Felt{
		"empty":                  {},
		"too short":              {{}, {}},
		"more words than felts":  {FeltFromUint64(1), {}, {}},
		"a huge number of words": {huge, {}, {}},
		"2^63 words":             {FeltFromUint64(1 << 63), {}, {}},
		"pending too long":       {{}, {}, FeltFromUint64(31)},
		"pending does not fit":   {{}, MustShortString("ab"), FeltFromUint64(1)},
		"word of 32 bytes":       {FeltFromUint64(1), huge, {}, {}},
	} {
		if _, _, err := DecodeByteArray(felts); !errors.Is(err, ErrMalformedByteArray) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestContractAddressStaysBelowItsBound(t *testing.T) {
	t.Parallel()
	got := ContractAddress(Felt{},
		MustFelt("0x2e94ba2293dfa45f86dfcf9952d7a33dc50ce2b00b932999fbe0844772604f3"),
		MustFelt("0x61dac032f228abef9c6626f995015233097ae253a7f72d68552db02f2971b8f"),
		[]Felt{MustFelt("0x2e94ba2293dfa45f86dfcf9952d7a33dc50ce2b00b932999fbe0844772604f3")})
	if want := MustFelt("0x48419d3cc27f158917b45255d5376c06a9524484e19a1102279cbdc715c5522"); got != want {
		t.Errorf("address %v, want %v", got, want)
	}
}

func TestMessageToL1HashCoversItsLength(t *testing.T) {
	t.Parallel()
	m := MessageToL1{FromAddress: FeltFromUint64(1), ToAddress: FeltFromUint64(2), Payload: []Felt{FeltFromUint64(3)}}
	var words []byte
	for _, n := range []byte{1, 2, 1, 3} {
		words = append(append(words, make([]byte, 31)...), n)
	}
	if got, want := m.Hash(), Hash256(Keccak256(words)); got != want {
		t.Errorf("hash %v, want %v", got, want)
	}
}

func TestHash256TextIsPaddedAndLenientOnInput(t *testing.T) {
	t.Parallel()
	h, err := ParseHash256("0xAB")
	if want := "0x" + strings.Repeat("0", 62) + "ab"; err != nil || h.String() != want {
		t.Errorf("got %v, %v", h, err)
	}
	full := "0x" + strings.Repeat("f", 64)
	if h, err := ParseHash256(full); err != nil || h.String() != full {
		t.Errorf("got %v, %v", h, err)
	}
	for _, s := range []string{"", "0x", "ab", "0xzz", full + "f", "0X" + strings.Repeat("g", 64)} {
		if _, err := ParseHash256(s); !errors.Is(err, ErrMalformedHash) {
			t.Errorf("%q gave %v", s, err)
		}
	}
}

func FuzzDecodeByteArray(f *testing.F) {
	f.Add([]byte{}, []byte("hello"))
	f.Add(bytes.Repeat([]byte{0}, 96), []byte{})
	f.Fuzz(func(t *testing.T, raw, text []byte) {
		var felts []Felt
		for ; len(raw) >= 32; raw = raw[32:] {
			if felt, err := FeltFromBytes(raw[:32]); err == nil {
				felts = append(felts, felt)
			}
		}
		if decoded, used, err := DecodeByteArray(felts); err == nil {
			again := AppendByteArray(nil, decoded)
			if used != len(again) {
				t.Fatalf("%d felts became %d", used, len(again))
			}
			for i := range again {
				if again[i] != felts[i] {
					t.Fatalf("felt %d: %v became %v", i, felts[i], again[i])
				}
			}
		}
		if decoded, _, err := DecodeByteArray(AppendByteArray(nil, text)); err != nil || !bytes.Equal(decoded, text) {
			t.Fatalf("%q became %q, %v", text, decoded, err)
		}
	})
}

func TestASumOfMoreThan256BitsIsAnError(t *testing.T) {
	t.Parallel()
	most := Uint256{}
	for i := range most {
		most[i] = 0xff
	}
	one := Uint256{31: 1}
	if _, err := most.Add(one); !errors.Is(err, ErrUintRange) {
		t.Errorf("got %v for 2^256-1 + 1, want ErrUintRange", err)
	}
	almost := most
	almost[31] = 0xfe
	if sum, err := almost.Add(one); err != nil || sum != most {
		t.Errorf("got %v and %v for 2^256-2 + 1, want %v", sum, err, most)
	}
	carried := Uint256{15: 1}
	if sum, err := (Uint256{16: 0xff, 17: 0xff, 18: 0xff, 19: 0xff, 20: 0xff, 21: 0xff, 22: 0xff, 23: 0xff,
		24: 0xff, 25: 0xff, 26: 0xff, 27: 0xff, 28: 0xff, 29: 0xff, 30: 0xff, 31: 0xff}).Add(one); err != nil || sum != carried {
		t.Errorf("got %v and %v for 2^128-1 + 1, want %v", sum, err, carried)
	}
}
