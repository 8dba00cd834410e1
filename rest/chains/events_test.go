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
	for query, want := range map[string]domain.Argument{
		"topic0=0x1&key=0x1":    "key",
		"selector=0x1&keys=0x1": "keys",
		"topic0=0x1&topic1=0x1": "",
	} {
		if filter, err := filterOf(read(op, query)); err != nil || filter.KeyArgument != want {
			t.Errorf("%s: got the argument %q and %v, want %q", query, filter.KeyArgument, err, want)
		}
	}
}
