package strictjson

import (
	stdjson "encoding/json"
	"strings"
	"testing"
	"time"
)

func TestIntegerAcceptsEveryIntegralSpelling(t *testing.T) {
	t.Parallel()
	cases := map[string]Integer{
		"12345": 12345, "12345.0": 12345, "12345e0": 12345, "1.2345e4": 12345, "1.2345E+04": 12345,
		"123450e-1": 12345, "0.12345e5": 12345, "12345.000e-0": 12345,
		"0": 0, "0.0": 0, "0e5": 0, "0e-9999": 0, "1": 1, "10": 10, "100e-2": 1, "1e+000000000001": 10, "1e15": 1_000_000_000_000_000,
		"9007199254740991": MaxInteger, "9007199254740991.000": MaxInteger, "9.007199254740991e15": MaxInteger,
		"9007199254740990": MaxInteger - 1, "9e15": 9_000_000_000_000_000,
		"1" + strings.Repeat("0", 5000) + "e-5000":  1,
		"7." + strings.Repeat("0", 5000):            7,
		"0." + strings.Repeat("0", 4999) + "7e5000": 7,
	}
	for spelling, want := range cases {
		got := Integer(77)
		if err := Decode([]byte(spelling), &got); err != nil || got != want {
			t.Errorf("%.40s gave %d, %v; want %d", spelling, got, err, want)
		}
	}
}

func TestIntegerRefusesEverythingElse(t *testing.T) {
	t.Parallel()
	cases := map[string]Kind{
		"0.5": NotIntegral, "12345.6": NotIntegral, "12345e-1": NotIntegral, "1e-9999": NotIntegral,
		"9007199254740990.5": NotIntegral, "0." + strings.Repeat("0", 5000) + "1": NotIntegral,
		"-1": NumberOutOfRange, "-0": NumberOutOfRange, "-0.0e5": NumberOutOfRange, "-0.5": NumberOutOfRange,
		"9007199254740992": NumberOutOfRange, "9007199254740991.5": NumberOutOfRange, "9008e12": NumberOutOfRange,
		"1e16": NumberOutOfRange, "18446744073709551617": NumberOutOfRange, "1e9999": NumberOutOfRange,
		"1e10000": NumberOutOfRange, "1e-10000": NumberOutOfRange, "0e10000": NumberOutOfRange,
		strings.Repeat("9", 5000): NumberOutOfRange,
		`"12345"`:                 TypeMismatch, "true": TypeMismatch, "null": TypeMismatch, "[1]": TypeMismatch,
	}
	for spelling, want := range cases {
		got := Integer(77)
		err := got.UnmarshalJSON([]byte(spelling))
		expectError(t, err, Error{Kind: want, Message: "expected an integer from 0 to 9007199254740991"})
		if got != 77 {
			t.Errorf("%.40s was refused: got %d stored, want 77", spelling, got)
		}
	}
}

func TestIntegerRefusesTextThatIsNoNumber(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", " ", "-", "01", "1.", ".5", "1e", "1e+", "0x10", "1_000", "1 2", "1,", "NaN", "１"} {
		var n Integer
		if err := n.UnmarshalJSON([]byte(text)); err == nil {
			t.Errorf("%q: got %d, want an error", text, n)
		}
	}
}

func TestIntegerCostsLittleHoweverLargeItsExponent(t *testing.T) {
	t.Parallel()
	started := time.Now()
	for range 1000 {
		for _, spelling := range []string{
			"1e1000000000", "1e-1000000000", "1e" + strings.Repeat("9", 1000), "1e" + strings.Repeat("0", 1000) + "99999",
		} {
			var n Integer
			if n.UnmarshalJSON([]byte(spelling)) == nil {
				t.Fatalf("%.20s: got %d, want an error", spelling, n)
			}
		}
	}
	// One such power of ten takes minutes to compute; four thousand refusals
	// take some milliseconds.
	if took := time.Since(started); took > time.Minute {
		t.Errorf("got %s for 4000 refusals, want at most a minute", took)
	}
}

func TestIntegerIsWrittenInPlainDigits(t *testing.T) {
	t.Parallel()
	var evidence struct {
		ReceiptID Integer `json:"receiptId"`
	}
	if err := Decode([]byte(`{"receiptId":1.5e3}`), &evidence); err != nil {
		t.Fatal(err)
	}
	standard, err := stdjson.Marshal(evidence)
	if want := `{"receiptId":1500}`; err != nil || string(standard) != want {
		t.Errorf("written by encoding/json: got %s, %v, want %s", standard, err, want)
	}
	if err := stdjson.Unmarshal([]byte(`{"receiptId":2.0}`), &evidence); err != nil || evidence.ReceiptID != 2 {
		t.Errorf("read by encoding/json: got %d, %v, want 2", evidence.ReceiptID, err)
	}
}

func TestIntegerErrorsNameTheirField(t *testing.T) {
	t.Parallel()
	var body struct {
		Length Integer `json:"length"`
	}
	err := Decode([]byte(`{"length":1.5}`), &body)
	expectError(t, err, Error{Kind: NotIntegral, Path: "/length", Message: "expected an integer from 0 to 9007199254740991"})
}
