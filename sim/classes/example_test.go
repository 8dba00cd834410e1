package classes

import (
	"bytes"
	"os"
	"testing"

	"astrolabe/domain/verify"
	"astrolabe/domain/verify/archive"
)

// exampleTree is the Scarb package that docs/verification.md verifies.
const exampleTree = "../../examples/collection"

// exampleClass is the class of the simulated chain that the tree gives. A
// transaction declares it: a receipt names that transaction, and the classes of
// the first block have none.
const exampleClass = "erc721_keyed"

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
