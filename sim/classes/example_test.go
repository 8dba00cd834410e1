package classes

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"astrolabe/domain/verify"
	"astrolabe/domain/verify/archive"
	"astrolabe/toolchain"
	"astrolabe/toolchain/cairotest"
)

// exampleTree is the Scarb package that docs/verification.md verifies.
const exampleTree = "../../examples/collection"

// exampleClass is the class of the simulated chain that the tree gives. A
// transaction declares it: a receipt names that transaction, and the classes of
// the first block have none.
const exampleClass = "erc721_keyed"

func TestExampleTreeCompilesToADeclaredClass(t *testing.T) {
	t.Parallel()
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(exampleTree, "src", name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	const declared = "mod interfaces;"
	root := read("lib.cairo")
	if strings.Count(root, declared) != 1 {
		t.Fatalf("got lib.cairo without %q, want the tree to have a module in a file of its own", declared)
	}
	flat := strings.Replace(root, declared, "mod interfaces {\n"+read("interfaces.cairo")+"}", 1)
	want := committedEntries(t)[exampleClass]
	class, err := cairotest.Open(t, cairotest.Optional(t)).Compile(t.Context(), toolchain.Source{Package: want.Package, Text: flat})
	if err != nil {
		t.Fatal(err)
	}
	if got := class.Hash(); got != want.ClassHash {
		t.Errorf("%s: got the class %s, want %s, which the simulated chain declares", exampleTree, got, want.ClassHash)
	}
}

func TestExampleTreeBreaksNoRuleOfSources(t *testing.T) {
	t.Parallel()
	var packed bytes.Buffer
	if err := archive.Pack(&packed, os.DirFS(exampleTree)); err != nil {
		t.Fatal(err)
	}
	if err := (verify.Rules{}).Check(&packed, verify.Package{PackageName: exampleClass, TargetName: exampleClass}); err != nil {
		t.Errorf("got %v, want a tree that a job accepts", err)
	}
}
