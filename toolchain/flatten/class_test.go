package flatten_test

import (
	"os"
	"testing"

	"astrolabe/toolchain"
	"astrolabe/toolchain/cairotest"
	"astrolabe/toolchain/flatten"
)

// TestFlattenedClassesAreThoseOfTheInlinedSource compiles trees, and the same
// contracts as a person would write them into one file.
func TestFlattenedClassesAreThoseOfTheInlinedSource(t *testing.T) {
	t.Parallel()
	if os.Getenv("ASTROLABE_SOAK") != "1" {
		t.Skip("ASTROLABE_SOAK=1 compiles them")
	}
	compiler := cairotest.Open(t, cairotest.Optional(t))
	for file, p := range map[string]flatten.Package{
		"testdata/paths.txtar":     {Name: "ledger", Target: "ledger", ModulePath: "ledger::book::Book", Manifest: "Scarb.toml"},
		"testdata/component.txtar": {Name: "owned", Target: "owned", ModulePath: "owned::account::Account", Manifest: "Scarb.toml"},
	} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		files := tree(string(text))
		flat, err := compiler.Compile(t.Context(), toolchain.Source{Package: p.Name, Text: flat(t, files, p)})
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		inlined, err := compiler.Compile(t.Context(), toolchain.Source{Package: p.Name, Text: string(files["inlined.cairo"].Data)})
		if err != nil {
			t.Fatalf("%s: inlined: %v", file, err)
		}
		if flat.Hash() != inlined.Hash() {
			t.Errorf("%s: got the class hash %s of the flattened tree, want %s of the inlined source", file, flat.Hash(), inlined.Hash())
		}
	}
}
