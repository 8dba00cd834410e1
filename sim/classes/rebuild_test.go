package classes

import (
	"bytes"
	"os"
	"testing"

	"astrolabe/toolchain/cairotest"
)

// everything asks for all classes to be compiled.
var everything = os.Getenv("ASTROLABE_SOAK") == "1"

// TestSourcesCompileToTheCommittedClasses takes minutes. A quick run compares the
// digests of the sources, and the test of the program verifies one of the classes.
func TestSourcesCompileToTheCommittedClasses(t *testing.T) {
	t.Parallel()
	if *update {
		rewrite(t)
		return
	}
	if !everything {
		t.Skip("ASTROLABE_SOAK=1 compiles them")
	}
	committed := committedEntries(t)
	opened := cairotest.Open(t, cairotest.Optional(t))
	for _, source := range readSources(t) {
		built, document, err := source.build(t.Context(), opened)
		if err != nil {
			t.Fatalf("%s: %v", source.path, err)
		}
		if built != committed[source.name] {
			t.Errorf("%s: got %+v, want %+v as in the manifest", source.path, built, committed[source.name])
		}
		kept, err := files.ReadFile(compiledFile(source.name))
		if err != nil || !bytes.Equal(kept, document) {
			t.Errorf("%s: got another class, %v, want the committed one", source.path, err)
		}
	}
}

func TestNoSourceWasChangedWithoutCompilingIt(t *testing.T) {
	t.Parallel()
	committed := committedEntries(t)
	for _, source := range readSources(t) {
		if committed[source.name].SourceSHA256 != source.digest() {
			t.Errorf("%s: got digest %s, want %s as compiled: run go generate", source.path, source.digest(), committed[source.name].SourceSHA256)
		}
		delete(committed, source.name)
	}
	for name := range committed {
		t.Errorf("got class %s without a source, want one", name)
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
