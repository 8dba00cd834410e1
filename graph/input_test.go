package graph

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"astrolabe/domain"
	"astrolabe/domain/event"
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
		`{ search(chain: SN_MAIN, query: " ") { key } }`:                                                    "query must not be blank.",
		`{ events(chain: SN_MAIN, filter: {}) { nodes { txHash } } }`:                                       "A search requires filter.keys[0] or filter.addresses.",
		`{ events(chain: SN_MAIN, filter: {keys: [[], ["0x1"]]}) { nodes { txHash } } }`:                    "filter.keys[1] requires filter.keys[0]; an address alone is not enough.",
		`{ events(chain: SN_MAIN, filter: {keys: [["0x1"], [], ["0x1"]]}) { nodes { txHash } } }`:           "filter.keys[2] requires both filter.fromBlock and filter.toBlock.",
		`{ blocks(chain: SN_MAIN, filter: {fromBlock: 2, toBlock: 1}) { nodes { id } } }`:                   "filter.fromBlock (2) must not be greater than filter.toBlock (1).",
		`{ addresses(chain: SN_MAIN, addresses: []) { id } }`:                                               "addresses must have 1 to 128 items, got 0.",
		`{ transactionPreviews(chain: SN_MAIN, hashes: []) { found } }`:                                     "hashes must have 1 to 128 items, got 0.",
		wallet(`scope: EXPLICIT, tokenAddresses: []`):                                                       "input.tokenAddresses must have 1 to 25 addresses, got 0.",
		wallet(`tokenAddresses: []`):                                                                        "input.tokenAddresses requires input.scope EXPLICIT.",
		wallet(`blockNumber: 1`):                                                                            "input.blockHash and input.blockNumber require input.blockPreference EXPLICIT.",
		wallet(`blockPreference: EXPLICIT`):                                                                 "input.blockPreference EXPLICIT requires either input.blockHash or input.blockNumber.",
		wallet(`limit: 0`):                                                                                  "input.limit must be between 1 and 25, got 0.",
		wallet(`limit: 1, scope: EXPLICIT, tokenAddresses: ["0x1", "0x2"]`):                                 "input.tokenAddresses has 2 addresses, more than input.limit (1).",
		`{ address(chain: SN_MAIN, address: "0x1") { walletState(input: {limit: 26}) { scope } } }`:         "input.limit must be between 1 and 25, got 26.",
		`{ block(chain: SN_MAIN, number: -1) { id } }`:                                                      "number must not be negative, got -1.",
		`{ block(chain: SN_MAIN, number: 1, hash: "0x1") { id } }`:                                          "number and hash cannot be combined.",
		`query($null: Boolean = true) { service { version @include(if: $null) } }`:                          "The argument `if` of @include must not be null.",
		`query($null: BlockOrder = OLDEST_FIRST) { blocks(chain: SN_MAIN, order: $null) { nodes { id } } }`: "order must not be null.",
	} {
		e := refusedWith(t, g, domain.CodeInvalidRequest, query, map[string]any{"null": nil})
		if e.Message != want {
			t.Errorf("%s:\n got %q\nwant %q", query, e.Message, want)
		}
	}
}

// TestWalletErrorsNameEveryFieldOfTheInput compares the fields of the input with
// the domain's arguments.
func TestWalletErrorsNameEveryFieldOfTheInput(t *testing.T) {
	t.Parallel()
	var fields []string
	for _, field := range schema.Types["WalletInput"].Fields {
		fields = append(fields, field.Name)
	}
	if diff := cmp.Diff(fields, walletInput); diff != "" {
		t.Errorf("fields of WalletInput (-schema +argumentName):\n%s", diff)
	}
}

// TestEventFilterHasLimits checks that messages about too many values name the
// argument.
func TestEventFilterHasLimits(t *testing.T) {
	t.Parallel()
	g := explore(t)
	values := func(n int) string {
		var list strings.Builder
		for i := range n {
			fmt.Fprintf(&list, `"0x%x" `, i+1)
		}
		return list.String()
	}
	for filter, want := range map[string]string{
		`addresses: [` + values(129) + `]`:                              "filter.addresses accepts at most 128 values, got 129.",
		`keys: [[` + values(129) + `]]`:                                 "filter.keys[0] accepts at most 128 distinct values, got 129.",
		`keys: [[` + values(128) + `], [` + values(128) + `], ["0x1"]]`: "filter.keys[0] to filter.keys[15] accept at most 256 values in total, got 257.",
	} {
		if e := refusedWith(t, g, domain.CodeInvalidRequest, `{ events(chain: SN_MAIN, filter: {`+filter+`}) { nodes { txHash } } }`, nil); e.Message != want {
			t.Errorf("%.100s: got %q, want %q", filter, e.Message, want)
		}
	}
}

// TestSelectorsOfAContractHaveALimit checks that the message names the argument of
// the field, which has no keys.
func TestSelectorsOfAContractHaveALimit(t *testing.T) {
	t.Parallel()
	var selectors strings.Builder
	for i := range event.MaxDistinct + 1 {
		fmt.Fprintf(&selectors, `"0x%x" `, i+1)
	}
	e := refusedWith(t, explore(t), domain.CodeInvalidRequest,
		`{ contract(chain: SN_MAIN, address: "`+strk+`") { events(filter: {selectors: [`+selectors.String()+`]}) { nodes { txHash } } } }`, nil)
	if want := "filter.selectors accepts at most 128 distinct values, got 129."; e.Message != want {
		t.Errorf("got %q, want %q", e.Message, want)
	}
}

// wallet is an operation with these fields in its input.
func wallet(fields string) string {
	return `{ walletState(chain: SN_MAIN, input: {ownerAddress: "0x1", ` + fields + `}) { scope } }`
}

// TestTextWithNULIsRejected sends the one character that Postgres stores in no
// text, in every text argument of the schema.
func TestTextWithNULIsRejected(t *testing.T) {
	t.Parallel()
	g := explore(t)
	for query, argument := range map[string]string{
		`query($text: ID!) { node(id: $text) { id } }`:                                                                                 "id",
		`query($text: ID!) { nodes(ids: ["x", $text]) { id } }`:                                                                        "ids",
		`query($text: String!) { message(chain: SN_MAIN, messageId: $text) { id } }`:                                                   "messageId",
		`query($text: String!) { search(chain: SN_MAIN, query: $text) { key } }`:                                                       "query",
		`query($text: Cursor!) { blocks(chain: SN_MAIN, after: $text) { nodes { id } } }`:                                              "after",
		`query($text: String!) { token(chain: SN_MAIN, address: "` + strk + `") { totalSupply(blockTag: $text) { totalSupplyRaw } } }`: "blockTag",
		`mutation($text: String!) { revokeApiKey(publicId: $text) { apiKey { label } } }`:                                              "publicId",
	} {
		e := refusedWith(t, g, domain.CodeInvalidRequest, query, map[string]any{"text": "a\x00b"})
		if want := argument + " must not contain the character NUL."; e.Message != want {
			t.Errorf("%s: got %q, want %q", query, e.Message, want)
		}
	}
	refusedWith(t, g, domain.CodeInvalidRequest, `{ search(chain: SN_MAIN, query: "a\u0000b") { key } }`, nil)
}

// TestListBoundsAreThoseOfTheirDescription compares the bounds that descriptions
// of list arguments name with those that are enforced.
func TestListBoundsAreThoseOfTheirDescription(t *testing.T) {
	t.Parallel()
	bounds, sizes, found := regexp.MustCompile(`(\d+) to (\d+) `), sizesOf(schema), 0
	for _, definition := range schema.Types {
		for _, field := range definition.Fields {
			for _, argument := range field.Arguments {
				named := bounds.FindStringSubmatch(argument.Description)
				if argument.Type.Elem == nil || named == nil {
					continue
				}
				found++
				if size := sizes[field]; named[1] != strconv.Itoa(size.minimum) || named[2] != strconv.Itoa(size.maximum) {
					t.Errorf("%s.%s(%s): got %d to %d items, want %s to %s", definition.Name, field.Name, argument.Name, size.minimum, size.maximum, named[1], named[2])
				}
			}
		}
	}
	if found == 0 {
		t.Error("got no list with described bounds, want some")
	}
}
