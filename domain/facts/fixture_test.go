package facts

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"astrolabe/sim/classes"
	"astrolabe/starknet"
)

// unknown is the view of an index that knows no class.
type unknown struct{}

func (unknown) Runtime(starknet.Felt) Runtime { return Runtime{} }

// always is a view in which every contract has the same classes.
type always Runtime

func (v always) Runtime(starknet.Felt) Runtime { return Runtime(v) }

func felt(v uint64) starknet.Felt { return starknet.FeltFromUint64(v) }

// felts makes felts of numbers, selectors' names and felts.
func felts(values ...any) []starknet.Felt {
	list := make([]starknet.Felt, len(values))
	for i, value := range values {
		switch v := value.(type) {
		case int:
			list[i] = felt(uint64(v)) //nolint:gosec // Small literals.
		case string:
			list[i] = starknet.Selector(v)
		case starknet.Felt:
			list[i] = v
		}
	}
	return list
}

func pointer[T any](v T) *T { return &v }

func number(v uint64) *starknet.Uint256 {
	return pointer(starknet.Uint256(felt(v)))
}

// simClass returns a class of the simulated chain.
func simClass(tb testing.TB, name string) *Class {
	tb.Helper()
	compiled, err := classes.ByName(name)
	if err != nil {
		tb.Fatal(err)
	}
	var class starknet.Class
	if err := json.Unmarshal(compiled.Document, &class); err != nil {
		tb.Fatal(err)
	}
	return NewClass(compiled.Hash, class)
}

// abiClass makes a class from the text of an ABI; the text is its identity.
func abiClass(text string) *Class {
	return StoredClass(starknet.Keccak([]byte(text)), true, []byte(text), false)
}

// realData returns the folder of real chain data or skips the test.
func realData(tb testing.TB) string {
	tb.Helper()
	dir := filepath.Join("..", "..", "..", "shared", "data", "real")
	if _, err := os.Stat(dir); err != nil {
		tb.Skip("the folder of real chain data is not beside the repository")
	}
	return dir
}

func readJSON(tb testing.TB, path string, v any) {
	tb.Helper()
	text, err := os.ReadFile(path) //nolint:gosec // A path below the test data.
	if err == nil {
		err = json.Unmarshal(text, v)
	}
	if err != nil {
		tb.Fatalf("%s: %v", path, err)
	}
}
