package chains

import (
	"testing"

	"astrolabe/domain"
)

// TestFilterKnowsTheArgumentOfItsKeys reads the query strings of the events of a
// contract.
func TestFilterKnowsTheArgumentOfItsKeys(t *testing.T) {
	t.Parallel()
	op := Handlers{}.EventOperations()[1]
	for query, want := range map[string][2]domain.Argument{
		"topic0=0x1&key=0x1":    {"", "key"},
		"selector=0x1&keys=0x1": {"selector", "keys"},
		"topic0=0x1&topic1=0x1": {"", ""},
	} {
		filter, err := filterOf(read(op, query))
		if got := [2]domain.Argument{filter.FirstArgument, filter.KeyArgument}; err != nil || got != want {
			t.Errorf("%s: got the arguments %q and %v, want %q", query, got, err, want)
		}
	}
}
