package classes

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"astrolabe/toolchain"
	"astrolabe/toolchain/cairotest"
)

var update = flag.Bool("update", false, "compile the sources that changed and rewrite the committed classes")

// rewrite compiles the sources that changed and writes the classes and the manifest. A source
// that does not compile fails the test but not the others.
func rewrite(t *testing.T) {
	t.Helper()
	listed, err := readManifest()
	if err != nil {
		t.Fatal(err)
	}
	committed := committedEntries(t)
	listed.Classes = nil
	opened := sync.OnceValue(func() toolchain.Compiler {
		opened := cairotest.Open(t, cairotest.Required(t))
		identity := opened.Identity()
		listed.Compiler = compiler{Name: identity.Name, Version: identity.Version, SHA256: identity.Digest}
		return opened
	})
	for _, source := range readSources(t) {
		entry, known := committed[source.name]
		if !known || entry.SourceSHA256 != source.digest() || everything {
			known = recompile(t, opened(), source, &entry) || known
		}
		if known {
			listed.Classes = append(listed.Classes, entry)
		}
		delete(committed, source.name)
	}
	for name := range committed {
		_ = os.Remove(compiledFile(name))
	}
	text, err := json.MarshalIndent(listed, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	write(t, "manifest.json", append(text, '\n'))
}

// recompile writes a class, stores its entry and reports whether it could.
func recompile(t *testing.T, opened toolchain.Compiler, source source, stored *entry) bool {
	t.Helper()
	built, document, err := source.build(t.Context(), opened)
	if err != nil {
		t.Errorf("%s: got %v, want no error", source.path, err)
		return false
	}
	t.Logf("%s: class %s, %d bytes", source.path, built.ClassHash, len(document))
	write(t, compiledFile(source.name), document)
	*stored = built
	return true
}

func write(t *testing.T, path string, text []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.FromSlash(path), text, 0o644); err != nil {
		t.Fatal(err)
	}
}
