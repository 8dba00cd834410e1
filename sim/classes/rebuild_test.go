package classes

import (
	"bytes"
	"cmp"
	"os"
	"slices"
	"testing"

	"astrolabe/toolchain/cairotest"
)

// everything asks for all classes where a few would do.
var everything = os.Getenv("ASTROLABE_SOAK") == "1"

// quickBuilds is the number of classes that a quick run compiles: the smallest one.
const quickBuilds = 1

func TestSourcesCompileToTheCommittedClasses(t *testing.T) {
	t.Parallel()
	if *update {
		rewrite(t)
		return
	}
	sources := readSources(t)
	if !everything {
		slices.SortFunc(sources, func(a, b source) int { return cmp.Compare(len(a.text), len(b.text)) })
		sources = sources[:quickBuilds]
	}
	committed := committedEntries(t)
	opened := cairotest.Open(t, cairotest.Optional(t))
	for _, source := range sources {
		built, document, err := source.build(t.Context(), opened)
		if err != nil {
			t.Fatalf("%s: %v", source.path, err)
		}
		if built != committed[source.name] {
			t.Errorf("%s compiles to %+v, the manifest says %+v", source.path, built, committed[source.name])
		}
		kept, err := files.ReadFile(compiledFile(source.name))
		if err != nil || !bytes.Equal(kept, document) {
			t.Errorf("%s does not compile to the committed class (%v)", source.path, err)
		}
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
