package graph

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/graph/scalar"
	"astrolabe/starknet"
)

func TestScalarsAcceptOnlyTheirCanonicalForms(t *testing.T) {
	t.Parallel()
	big := "115792089237316195423570985008687907853269984665640564039457584007913129639936"
	for _, c := range []struct {
		name  string
		value any
		good  bool
	}{
		{"Felt", "0x1", true},
		{"Felt", "0X00aB", true},
		{"Felt", "1", false},
		{"Felt", "0x800000000000011000000000000000000000000000000000000000000000001", false},
		{"Felt", int64(1), false},
		{"BigInt", big, true},
		{"BigInt", "-1", true},
		{"BigInt", json.Number(big), true},
		{"BigInt", int64(-5), true},
		{"BigInt", json.Number("1.5"), false},
		{"BigInt", "0x1", false},
		{"BigInt", 1.5, false},
		{"DateTime", "2025-01-31T12:00:00Z", true},
		{"DateTime", "2025-01-31T12:00:00.5+02:00", true},
		{"DateTime", "2025-01-31", false},
		{"DateTime", int64(1), false},
		{"Cursor", "anything", true},
		{"Cursor", true, false},
		{"Int", int64(math.MaxInt32), true},
		{"Int", int64(math.MaxInt32 + 1), false},
		{"Int", json.Number("-7"), true},
		{"Int", json.Number("7.5"), false},
		{"Int", "7", false},
		{"Float", json.Number("7.5"), true},
		{"Float", int64(7), true},
		{"Float", "7.5", false},
		{"String", "text", true},
		{"String", json.Number("7"), false},
		{"ID", "text", true},
		{"ID", json.Number("7"), true},
		{"ID", 7.5, false},
		{"Boolean", true, true},
		{"Boolean", "true", false},
	} {
		if err := checkScalar("argument", c.name, c.value); (err == nil) != c.good {
			t.Errorf("%s %#v: got %v, want valid: %v", c.name, c.value, err, c.good)
		}
	}
}

func TestScalarsAreWrittenCanonically(t *testing.T) {
	t.Parallel()
	amount, err := domain.ParseAmount("-123456789012345678901234567890")
	if err != nil {
		t.Fatal(err)
	}
	moment := time.Date(2025, 1, 31, 14, 0, 0, 5e8, time.FixedZone("", 7200))
	var out bytes.Buffer
	scalar.MarshalFelt(starknet.FeltFromUint64(255)).MarshalGQL(&out)
	scalar.MarshalBigInt(amount).MarshalGQL(&out)
	scalar.MarshalDateTime(moment).MarshalGQL(&out)
	scalar.MarshalCursor("abc").MarshalGQL(&out)
	scalar.MarshalIndexState(chain.Backfilling).MarshalGQL(&out)
	want := `"0xff""-123456789012345678901234567890""2025-01-31T12:00:00.5Z""abc""BACKFILLING"`
	if out.String() != want {
		t.Errorf("got %s, want %s", out.String(), want)
	}
}

func TestNumberThatOverflowsIntIsAnError(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	if err := scalar.MarshalNumber(math.MaxInt32).MarshalGQLContext(t.Context(), &out); err != nil || out.String() != "2147483647" {
		t.Errorf("got %q and %v, want 2147483647", out.String(), err)
	}
	if scalar.MarshalNumber(math.MaxInt32+1).MarshalGQLContext(t.Context(), &out) == nil {
		t.Error("got 2^31 as an Int, want an error")
	}
	if _, err := scalar.UnmarshalNumber(t.Context(), int64(-1)); domain.CodeOf(err) != domain.CodeInvalidRequest {
		t.Errorf("-1: got %v, want %s", err, domain.CodeInvalidRequest)
	}
}

func TestIndexStatesMatchTheDomain(t *testing.T) {
	t.Parallel()
	for _, value := range schema.Types["IndexState"].EnumValues {
		state, err := scalar.UnmarshalIndexState(value.Name)
		var out strings.Builder
		scalar.MarshalIndexState(state).MarshalGQL(&out)
		if err != nil || out.String() != `"`+value.Name+`"` {
			t.Errorf("got %s and %v, want %q", out.String(), err, value.Name)
		}
	}
	if _, err := scalar.UnmarshalIndexState("ASLEEP"); domain.CodeOf(err) != domain.CodeInvalidRequest {
		t.Errorf("unknown state: got %v, want %s", err, domain.CodeInvalidRequest)
	}
}
