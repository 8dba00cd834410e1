package starknet

import (
	"database/sql"
	"encoding/json"
	"errors"
	"math/big"
	"strings"
	"testing"
)

const largestFelt = "0x800000000000011000000000000000000000000000000000000000000000000"

func TestParseFeltCanonicalisesWhatUsersType(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ in, want string }{
		{"0x0", "0x0"},
		{"0x00", "0x0"},
		{"0X0", "0x0"},
		{"0x1", "0x1"},
		{"0xABCdef", "0xabcdef"},
		{"0x" + strings.Repeat("0", 63) + "f", "0xf"},
		{"0x" + strings.Repeat("0", 100) + "10", "0x10"},
		{"0x049D36570D4E46F48E99674BD3FCC84644DDD6B96F7C741B1562B82F9E004DC7", "0x49d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7"},
		{largestFelt, largestFelt},
	} {
		f, err := ParseFelt(c.in)
		if err != nil || f.String() != c.want {
			t.Errorf("ParseFelt(%q) = %v, %v, want %s", c.in, f, err, c.want)
		}
	}
}

func TestParseFeltRejectsWithItsReason(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in   string
		want error
	}{
		{"", ErrMalformedFelt},
		{"0", ErrMalformedFelt},
		{"0x", ErrMalformedFelt},
		{"1234", ErrMalformedFelt},
		{"x12", ErrMalformedFelt},
		{"0x-1", ErrMalformedFelt},
		{"0x12g4", ErrMalformedFelt},
		{"0x 1", ErrMalformedFelt},
		{"0x1 ", ErrMalformedFelt},
		{"0x1" + strings.Repeat("0", 64), ErrMalformedFelt},
		{"0x" + strings.Repeat("f", 1<<16), ErrMalformedFelt},
		{"0x800000000000011000000000000000000000000000000000000000000000001", ErrFeltRange},
		{"0x" + strings.Repeat("f", 64), ErrFeltRange},
	} {
		f, err := ParseFelt(c.in)
		if !errors.Is(err, c.want) || !f.IsZero() {
			t.Errorf("ParseFelt(%.80q) = %v, %v, want %v", c.in, f, err, c.want)
		}
		if err != nil && len(err.Error()) > 400 {
			t.Errorf("got an error of %d bytes, want at most 400", len(err.Error()))
		}
	}
}

func TestFeltConversionsKeepTheRange(t *testing.T) {
	t.Parallel()
	if got := FeltFromUint64(0x1234).String(); got != "0x1234" {
		t.Errorf("FeltFromUint64: got %s, want 0x1234", got)
	}
	if v, ok := MustFelt("0xffffffffffffffff").Uint64(); !ok || v != 1<<64-1 {
		t.Errorf("Uint64: got %d, %v, want %d", v, ok, uint64(1<<64-1))
	}
	if v, ok := MustFelt("0x10000000000000000").Uint64(); ok {
		t.Errorf("Uint64 of 2^64: got %d, want none", v)
	}
	if n, ok := FeltFromUint64(5).Count(5); !ok || n != 5 {
		t.Errorf("Count: got %d, %v, want 5", n, ok)
	}
	for _, limit := range []int{4, 0, -1} {
		if _, ok := FeltFromUint64(5).Count(limit); ok {
			t.Errorf("Count of 5 up to %d: got true, want false", limit)
		}
	}
	if n, ok := MustFelt(largestFelt).Count(1 << 62); ok {
		t.Errorf("Count of P-1: got %d, want none", n)
	}
	for _, v := range []*big.Int{big.NewInt(-1), Prime(), new(big.Int).Lsh(big.NewInt(1), 300)} {
		if _, err := FeltFromBig(v); !errors.Is(err, ErrFeltRange) {
			t.Errorf("FeltFromBig(%x) = %v, want ErrFeltRange", v, err)
		}
	}
	last := new(big.Int).Sub(Prime(), big.NewInt(1))
	f, err := FeltFromBig(last)
	if err != nil || f.String() != largestFelt || f.Big().Cmp(last) != 0 {
		t.Errorf("P-1: got %v, %v, want %s", f, err, largestFelt)
	}
	for felt, want := range map[Felt]int{f: last.BitLen(), MustFelt("0x1"): 1, {}: 0} {
		if got := felt.BitLen(); got != want {
			t.Errorf("BitLen of %v: got %d, want %d", felt, got, want)
		}
	}
	for _, c := range []struct {
		a, b Felt
		want int
	}{{MustFelt("0x2"), MustFelt("0x10"), -1}, {f, f, 0}, {f, Felt{}, 1}} {
		if got := c.a.Cmp(c.b); got != c.want {
			t.Errorf("Cmp of %v and %v: got %d, want %d", c.a, c.b, got, c.want)
		}
	}
	if _, err := FeltFromBytes(make([]byte, 31)); !errors.Is(err, ErrMalformedFelt) {
		t.Errorf("31 bytes: got %v, want %v", err, ErrMalformedFelt)
	}
	if _, err := FeltFromBytes(prime[:]); !errors.Is(err, ErrFeltRange) {
		t.Errorf("P: got %v, want %v", err, ErrFeltRange)
	}
}

func TestFeltTravelsThroughJSON(t *testing.T) {
	t.Parallel()
	type doc struct {
		A Felt          `json:"a"`
		M map[Felt]Felt `json:"m"`
		P *Felt         `json:"p"`
	}
	var d doc
	if err := json.Unmarshal([]byte(`{"a":"0x00Ff","m":{"0x1":"0x2"},"p":null}`), &d); err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(d)
	if want := `{"a":"0xff","m":{"0x1":"0x2"},"p":null}`; err != nil || string(out) != want {
		t.Errorf("got %s, %v, want %s", out, err, want)
	}
	if err := json.Unmarshal([]byte(`{"a":"255"}`), &d); !errors.Is(err, ErrMalformedFelt) {
		t.Errorf("decimal text: got %v, want %v", err, ErrMalformedFelt)
	}
	if got := string(MustFelt("0xff").AppendJSON(nil)); got != `"0xff"` {
		t.Errorf("AppendJSON: got %s, want \"0xff\"", got)
	}
}

func TestFeltTravelsThroughSQL(t *testing.T) {
	t.Parallel()
	want := MustFelt("0x1234")
	v, err := want.Value()
	if err != nil {
		t.Fatal(err)
	}
	var got Felt
	if err := got.Scan(v); err != nil || got != want {
		t.Errorf("Scan(Value()): got %v, %v, want %v", got, err, want)
	}
	for _, bad := range []any{nil, "0x1", []byte{1}, int64(3)} {
		if err := got.Scan(bad); !errors.Is(err, ErrMalformedFelt) || got != want {
			t.Errorf("Scan(%T): got %v and the felt %v, want %v and %v", bad, err, got, ErrMalformedFelt, want)
		}
	}
	var null sql.Null[Felt]
	if err := null.Scan(nil); err != nil || null.Valid {
		t.Errorf("NULL through sql.Null: got %+v, %v, want it invalid", null, err)
	}
}

func TestShortStringsRoundTrip(t *testing.T) {
	t.Parallel()
	if f := MustShortString("SN_MAIN"); f != MustFelt("0x534e5f4d41494e") {
		t.Errorf("SN_MAIN: got %v, want 0x534e5f4d41494e", f)
	}
	if s, ok := MustFelt("0x534e5f5345504f4c4941").ShortString(); !ok || s != "SN_SEPOLIA" {
		t.Errorf("got %q, %v, want SN_SEPOLIA", s, ok)
	}
	for _, f := range []Felt{{}, MustFelt("0x1"), MustFelt("0x41000042"), MustFelt(largestFelt)} {
		if s, ok := f.ShortString(); ok {
			t.Errorf("%v: got %q, want no short string", f, s)
		}
	}
	for _, s := range []string{strings.Repeat("a", 32), "é", "a\x00"} {
		if _, err := ShortString(s); !errors.Is(err, ErrNotShortString) {
			t.Errorf("ShortString(%q): got %v, want %v", s, err, ErrNotShortString)
		}
	}
}

// Allocation counts are process-wide, so this test does not run in parallel.
func TestFeltPrintsParsesAndScansWithoutAllocating(t *testing.T) {
	text, raw := largestFelt, []byte(largestFelt)
	f := MustFelt(text)
	buf := make([]byte, 0, 128)
	var src any = f[:]
	for name, act := range map[string]func() error{
		"AppendText":    func() error { _, err := f.AppendText(buf); return err },
		"AppendJSON":    func() error { f.AppendJSON(buf); return nil },
		"ParseFelt":     func() error { _, err := ParseFelt(text); return err },
		"UnmarshalText": func() error { return f.UnmarshalText(raw) },
		"Scan":          func() error { return f.Scan(src) },
	} {
		if n := testing.AllocsPerRun(100, func() {
			if err := act(); err != nil {
				t.Error(err)
			}
		}); n != 0 {
			t.Errorf("%s: got %v allocations, want none", name, n)
		}
	}
}

func FuzzParseFelt(f *testing.F) {
	for _, s := range []string{"", "0x", "0x0", "0X00aB", largestFelt, "0x8" + strings.Repeat("f", 63), "0xg"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		felt, err := ParseFelt(s)
		if err != nil {
			if !errors.Is(err, ErrMalformedFelt) && !errors.Is(err, ErrFeltRange) {
				t.Fatalf("got %v, want %v or %v", err, ErrMalformedFelt, ErrFeltRange)
			}
			return
		}
		want, ok := new(big.Int).SetString(s[2:], 16)
		if !ok || felt.Big().Cmp(want) != 0 {
			t.Fatalf("ParseFelt(%q): got %v, want %v", s, felt, want)
		}
		if again, err := ParseFelt(felt.String()); err != nil || again != felt {
			t.Fatalf("got %v, %v, want %v", again, err, felt)
		}
	})
}

func BenchmarkParseFelt(b *testing.B) {
	const text = "0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d"
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ParseFelt(text); err != nil {
			b.Fatal(err)
		}
	}
}
