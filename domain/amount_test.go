package domain

import (
	"encoding/json"
	"math/big"
	"strings"
	"testing"
)

func TestAmountParsesOnlyCanonicalIntegers(t *testing.T) {
	t.Parallel()
	for _, good := range []string{"0", "1", "-1", "340282366920938463463374607431768211456", strings.Repeat("9", 120)} {
		a, err := ParseAmount(good)
		if err != nil || a.String() != good {
			t.Errorf("ParseAmount(%q) = %v, %v; want it back", good, a, err)
		}
	}
	for _, bad := range []string{"", "-", "-0", "00", "01", "+1", "1.0", "1e3", " 1", "1 ", "0x1", "\u0661", strings.Repeat("9", 121)} {
		if a, err := ParseAmount(bad); CodeOf(err) != CodeInvalidRequest || a.Sign() != 0 {
			t.Errorf("ParseAmount(%q) = %v, %v; want invalid_request", bad, a, err)
		}
	}
}

func TestAmountFormatsDecimalsWithoutLoss(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		raw      string
		decimals uint8
		want     string
	}{
		{"0", 18, "0"}, {"1", 18, "0.000000000000000001"}, {"1000000", 6, "1"}, {"1500000", 6, "1.5"},
		{"-1500000", 6, "-1.5"}, {"7", 0, "7"}, {"-7", 1, "-0.7"}, {"123456789", 8, "1.23456789"},
	} {
		a, err := ParseAmount(c.raw)
		if err != nil {
			t.Fatal(err)
		}
		if got := a.Decimal(c.decimals); got != c.want {
			t.Errorf("%s with %d decimals = %s, want %s", c.raw, c.decimals, got, c.want)
		}
	}
}

func TestAmountArithmeticDoesNotModifyItsOperands(t *testing.T) {
	t.Parallel()
	a, b := AmountFromUint64(5), AmountFromUint64(7)
	if got := a.Sub(b); got.String() != "-2" || got.Sign() != -1 {
		t.Errorf("5-7 = %s, want -2", got)
	}
	if got := a.Add(b); !got.Equal(AmountFromBig(big.NewInt(12))) {
		t.Errorf("5+7 = %s, want 12", got)
	}
	if a.String() != "5" || b.String() != "7" {
		t.Errorf("got the operands %s and %s, want 5 and 7", a, b)
	}
}

func TestAmountIsAStringInJSON(t *testing.T) {
	t.Parallel()
	text, err := json.Marshal(AmountFromUint64(1 << 60))
	if err != nil || string(text) != `"1152921504606846976"` {
		t.Fatalf("got %s, %v, want \"1152921504606846976\"", text, err)
	}
	var a Amount
	if err := json.Unmarshal(text, &a); err != nil || !a.Equal(AmountFromUint64(1<<60)) {
		t.Errorf("got %s, %v, want %d", a, err, 1<<60)
	}
	for _, bad := range []string{`1`, `"1`, `1"`, `true`, `"1.5"`, `""`, `"-0"`} {
		if err := new(Amount).UnmarshalJSON([]byte(bad)); CodeOf(err) != CodeInvalidRequest {
			t.Errorf("%s: got %v, want invalid_request", bad, err)
		}
	}
}

func TestUnknownAmountIsNeverZero(t *testing.T) {
	t.Parallel()
	if err := new(Amount).Scan(nil); err == nil {
		t.Error("got an amount for NULL, want an error")
	}
}

func FuzzParseAmount(f *testing.F) {
	for _, seed := range []string{"0", "-1", "00", "1e9", "99999999999999999999999999999999999999999"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a, err := ParseAmount(text)
		if err == nil && a.String() != text {
			t.Errorf("got %[2]s for %[1]q, want the same text or an error", text, a)
		}
	})
}
