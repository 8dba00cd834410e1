package classes

import (
	"bytes"
	"context"
	"os"
	"testing"

	"astrolabe/starknet"
	"astrolabe/toolchain"
	"astrolabe/toolchain/cairotest"
)

// everything asks for all classes to be compiled, of which each takes ten seconds or more.
var everything = os.Getenv("ASTROLABE_SOAK") == "1"

func TestSourcesCompileToTheCommittedClasses(t *testing.T) {
	t.Parallel()
	if *update {
		rewrite(t)
		return
	}
	if !everything {
		t.Skip("compiling takes minutes; set ASTROLABE_SOAK=1 to do it")
	}
	opened := cairotest.Open(t, cairotest.Optional(t))
	for _, source := range readSources(t) {
		requireCommitted(t, source, opened)
	}
}

// TestCommittedClassesAreAsABuildWritesThem builds from every source, without reading the Cairo
// in it: the compiler's answer is taken from the committed class.
func TestCommittedClassesAreAsABuildWritesThem(t *testing.T) {
	t.Parallel()
	for _, source := range readSources(t) {
		class, err := ByName(source.name)
		if err != nil {
			t.Fatal(err)
		}
		requireCommitted(t, source, remembered{class: readClass(t, class)})
	}
}

// remembered is a compiler that knows the answer.
type remembered struct {
	toolchain.Compiler
	class *starknet.SierraClass
}

// Compile implements toolchain.Compiler.
func (r remembered) Compile(context.Context, toolchain.Source) (*starknet.SierraClass, error) {
	return r.class, nil
}

// requireCommitted builds from a source and compares the outcome with what is committed.
func requireCommitted(t *testing.T, source source, compiler toolchain.Compiler) {
	t.Helper()
	built, document, err := source.build(t.Context(), compiler)
	if err != nil {
		t.Fatalf("%s: %v", source.path, err)
	}
	if committed := committedEntries(t)[source.name]; built != committed {
		t.Errorf("%s compiles to %+v, the manifest says %+v", source.path, built, committed)
	}
	kept, err := files.ReadFile(compiledFile(source.name))
	if err != nil || !bytes.Equal(kept, document) {
		t.Errorf("%s does not compile to the committed class (%v)", source.path, err)
	}
}

func TestNoSourceWasChangedWithoutCompilingIt(t *testing.T) {
	t.Parallel()
	committed := committedEntries(t)
	for _, source := range readSources(t) {
		if committed[source.name].SourceSHA256 != source.digest() {
			t.Errorf("%s differs from what was compiled: run go generate", source.path)
		}
		delete(committed, source.name)
	}
	for name := range committed {
		t.Errorf("the class %s has no source", name)
	}
}

// committedEntries returns the manifest's entries by name.
func committedEntries(tb testing.TB) map[string]entry {
	tb.Helper()
	listed, err := readManifest()
	if err != nil {
		tb.Fatal(err)
	}
	entries := map[string]entry{}
	for _, entry := range listed.Classes {
		entries[entry.Name] = entry
	}
	return entries
}
