package frame

import (
	"strings"
	"testing"

	"astrolabe/domain"
)

// TestEveryKindOfParameterIsChecked holds each rule of a query parameter
// with the text that just passes and the one that just does not.
func TestEveryKindOfParameterIsChecked(t *testing.T) {
	t.Parallel()
	params := []Param{
		{Name: "chain", In: InPath, Kind: ChainKind},
		{Name: "limit", In: InQuery, Kind: IntegerKind, Min: 1, Max: 100, Default: "25"},
		{Name: "direction", In: InQuery, Kind: EnumKind, Enum: []string{"any", "in", "out"}},
		{Name: "address", In: InQuery, Kind: FeltKind, Repeatable: true, MaxItems: 3},
		{Name: "q", In: InQuery, Kind: TextKind},
		{Name: "cursor", In: InQuery, Kind: CursorKind},
		{Name: "hash", In: InQuery, Kind: HashKind},
		{Name: "block", In: InQuery, Kind: BlockKind},
		{Name: "state", In: InQuery, Kind: StateKind},
	}
	for query, says := range map[string]string{
		"":                           "",
		"limit=1":                    "",
		"limit=100":                  "",
		"limit=0":                    "limit must be an integer between 1 and 100, got ",
		"limit=101":                  "limit must be an integer between 1 and 100, got ",
		"limit=":                     "limit must be an integer",
		"limit=1.0":                  "limit must be an integer",
		"limit=+1":                   "limit must be an integer",
		"limit=01":                   "limit must be an integer",
		"limit=99999999999999999999": "limit must be an integer",
		"limit=1&limit=1":            "limit must be given at most once, got 2 values.",
		"direction=out":              "",
		"direction=OUT":              "direction must be one of any, in, out",
		"address=0x1&address=0X00Ff": "",
		"address=0x1&address=0x2&address=0x3&address=0x4": "address must be given at most 3 times",
		"address=0x1&address=0x2&address=0x3":             "",
		"address=1":                                       "address must be a 0x-prefixed hexadecimal felt",
		"address=0x1&address=":                            "address must be a 0x-prefixed hexadecimal felt",
		"address=0x800000000000011000000000000000000000000000000000000000000000001": "below the field prime",
		"q=" + strings.Repeat("x", 256):                                             "",
		"q=" + strings.Repeat("x", 257):                                             "q must have 1 to 256 bytes of UTF-8 text",
		"q=":                                                                        "q must have 1 to 256 bytes of UTF-8 text",
		"q=%00":                                                                     "q must have 1 to 256 bytes of UTF-8 text",
		"q=%ff":                                                                     "q must have 1 to 256 bytes of UTF-8 text",
		"cursor=":                                                                   "invalid_cursor",
		"cursor=" + strings.Repeat("x", 4096):                                       "",
		"cursor=" + strings.Repeat("x", 4097):                                       "invalid_cursor",
		"hash=0x" + strings.Repeat("f", 64):                                         "",
		"hash=0x" + strings.Repeat("f", 65):                                         "hash must be a 0x-prefixed hash",
		"block=latest":                                                              "",
		"block=pending":                                                             "block",
		"state=pending":                                                             "",
		strings.Repeat("n", 64) + "=1":                                              `"` + strings.Repeat("n", 64) + `"`,
		strings.Repeat("n", 65) + "=1":                                              strings.Repeat("n", 64) + "…",
		"chain=SN_MAIN":                                                             `Unknown query parameter "chain"`,
		"Limit=1":                                                                   `Unknown query parameter "Limit"`,
		"limit=%":                                                                   "malformed",
		"a;b":                                                                       "malformed",
	} {
		values, err := readQuery(params, query)
		switch {
		case says == "" && err != nil:
			t.Errorf("%q: got %v, want no error", query, err)
		case says != "" && (domain.CodeOf(err) != domain.CodeInvalidRequest || !strings.Contains(err.Error(), says)):
			t.Errorf("%q: got %v, want a refusal that says %q", query, err, says)
		case query == "" && values.Get("limit") != "25":
			t.Errorf("default of limit: got %q, want 25", values.Get("limit"))
		}
	}
	required := []Param{{Name: "timestamp", In: InQuery, Kind: TextKind, Required: true}}
	if _, err := readQuery(required, ""); err == nil || !strings.Contains(err.Error(), "timestamp is required") {
		t.Errorf("a missing parameter: got %v, want that timestamp is required", err)
	}
}
