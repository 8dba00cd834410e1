package graph

import (
	"testing"

	"astrolabe/domain"
)

// TestErrorNamesTheArgumentAndItsLimit checks the messages about invalid
// input, whether it is found before or during execution.
func TestErrorNamesTheArgumentAndItsLimit(t *testing.T) {
	t.Parallel()
	g := explore(t)
	for query, want := range map[string]string{
		`{ blocks(chain: SN_MAIN, first: 500) { nodes { id } } }`:                                           "first must be between 1 and 200, got 500.",
		`{ blocks(chain: SN_MAIN, filter: {fromBlock: -1}) { nodes { id } } }`:                              "filter.fromBlock: The value must be a non-negative integer.",
		`{ blocks(chain: SN_MAIN, filter: {fromTime: "noon"}) { nodes { id } } }`:                           "filter.fromTime: A DateTime must have the RFC 3339 format, for example 2025-01-31T12:00:00Z.",
		`{ address(chain: SN_MAIN, address: "12") { id } }`:                                                 "address: A Felt must be 0x followed by hexadecimal digits, less than the field prime.",
		`{ block(chain: SN_MAIN, number: -1) { id } }`:                                                      "number must not be negative, got -1.",
		`{ block(chain: SN_MAIN, number: 1, hash: "0x1") { id } }`:                                          "number and hash cannot be combined.",
		`query($null: Boolean = true) { service { version @include(if: $null) } }`:                          "The argument if of @include must not be null.",
		`query($null: BlockOrder = OLDEST_FIRST) { blocks(chain: SN_MAIN, order: $null) { nodes { id } } }`: "order must not be null.",
	} {
		e := refusedWith(t, g, domain.CodeInvalidRequest, query, map[string]any{"null": nil})
		if e.Message != want {
			t.Errorf("%s:\n got %q\nwant %q", query, e.Message, want)
		}
	}
}
