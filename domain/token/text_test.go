package token_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"astrolabe/domain/token"
	"astrolabe/starknet"
)

func felts(list ...string) []starknet.Felt {
	result := make([]starknet.Felt, len(list))
	for i, text := range list {
		result[i] = starknet.MustFelt(text)
	}
	return result
}

func byteArray(text string) []starknet.Felt { return starknet.AppendByteArray(nil, []byte(text)) }

// short is any text of up to 32 bytes in one felt.
func short(text string) []starknet.Felt {
	var f starknet.Felt
	copy(f[len(f)-len(text):], text)
	return []starknet.Felt{f}
}

func TestTextIsReadFromBothForms(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"Ether", "A", " ", "strkBTC", strings.Repeat("x", 31), "₿", "Звезда", "⭐ and 👩\u200d🚀",
	} {
		if got, ok := token.ReadText(short(text)); !ok || got != text {
			t.Errorf("short string: got %q and %v, want %q", got, ok, text)
		}
	}
	for _, text := range []string{
		"Ether", "A", "Astrolabe Classic of the Northern Hemisphere", strings.Repeat("x", 31), strings.Repeat("x", 62),
		strings.Repeat("₿", 40), strings.Repeat("x", token.MaxText),
	} {
		if got, ok := token.ReadText(byteArray(text)); !ok || got != text {
			t.Errorf("ByteArray: got %q and %v, want %q", got, ok, text)
		}
	}
}

func TestInvalidTextIsNotRead(t *testing.T) {
	t.Parallel()
	for name, result := range map[string][]starknet.Felt{
		"nothing":                      nil,
		"the zero felt":                felts("0x0"),
		"a felt of 32 bytes":           felts("0x141424344454647484950515253545556575859414243444546474849505152"),
		"a small number":               felts("0x12"),
		"bytes that are not UTF-8":     felts("0xff41"),
		"half a character":             short("abc\xe2\x82"),
		"a zero byte inside":           short("a\x00b"),
		"a line break":                 short("USD\nC"),
		"an escape":                    short("\x1b[31mUSDC"),
		"a C1 control character":       byteArray("USD\u0085C"),
		"a line separator":             byteArray("USD\u2028C"),
		"text turned around":           byteArray("\u202eCDSU"),
		"an isolate":                   byteArray("\u2066USDC\u2069"),
		"two felts":                    felts("0x41", "0x42"),
		"an array of two felts":        felts("0x2", "0x41", "0x42"),
		"an empty ByteArray":           byteArray(""),
		"a ByteArray beyond the limit": byteArray(strings.Repeat("x", token.MaxText+1)),
		"a ByteArray that goes on":     append(byteArray("USDC"), starknet.Felt{}),
		"a ByteArray that is cut off":  byteArray(strings.Repeat("x", 40))[:3],
		"too many words":               felts("0xffffffffffffffffffffffff", "0x41", "0x1"),
		"a pending word too long":      felts("0x0", "0x4142", "0x1"),
		"31 pending bytes":             felts("0x0", "0x41", "0x1f"),
		"a zero byte in a ByteArray":   byteArray("a\x00"),
		"a ByteArray that is no UTF-8": byteArray("\xff\xfe"),
	} {
		if text, ok := token.ReadText(result); ok || text != "" {
			t.Errorf("%s: got %q, want it rejected", name, text)
		}
	}
}

func TestDecimalsAreOneSmallNumber(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]uint8{"0x0": 0, "0x6": 6, "0x12": 18, "0xff": 255} {
		if got, ok := token.ReadDecimals(felts(text)); !ok || got != want {
			t.Errorf("%s is read as %d, %v, want %d", text, got, ok, want)
		}
	}
	for name, result := range map[string][]starknet.Felt{
		"nothing":          nil,
		"256":              felts("0x100"),
		"2^64 + 6":         felts("0x10000000000000006"),
		"the largest felt": felts("0x800000000000011000000000000000000000000000000000000000000000000"),
		"two felts":        felts("0x6", "0x0"),
	} {
		if got, ok := token.ReadDecimals(result); ok {
			t.Errorf("%s: got %d, want it rejected", name, got)
		}
	}
}

func FuzzReadText(f *testing.F) {
	for _, seed := range [][]starknet.Felt{
		short("Ether"), byteArray("Astrolabe Classic of the Northern Hemisphere"), byteArray("₿"), felts("0x2", "0x41", "0x42"), short("a\x00b"), nil,
	} {
		var raw []byte
		for _, felt := range seed {
			raw = append(raw, felt[:]...)
		}
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var result []starknet.Felt
		for chunk := range slices.Chunk(raw, 32) {
			felt, err := starknet.FeltFromBytes(chunk)
			if err != nil {
				return
			}
			result = append(result, felt)
		}
		text, ok := token.ReadText(result)
		if !ok {
			return
		}
		if text == "" || len(text) > token.MaxText || !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl) {
			t.Fatalf("got %q, want printable text of at most %d bytes", text, token.MaxText)
		}
		if again := byteArray(text); !slices.Equal(result, again) && !bytes.Equal(raw, slices.Concat(make([]byte, max(32-len(text), 0)), []byte(text))) {
			t.Fatalf("%x: got %q, want only text that encodes to the same felts", raw, text)
		}
	})
}
