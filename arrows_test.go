package astrolabe_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// arrows lists the packages of this module that each folder may import besides
// its top-level folder. A folder that is not listed has the arrows of its parent.
// cmd and bench may import everything.
var arrows = map[string][]string{
	"cache":      {},
	"starknet":   {},
	"strictjson": {},
	"telemetry":  {},
	"failpoint":  {},
	"polltest":   {},
	"pg":         {},
	"httpserver": {},
	"web":        {},
	"domain":     {"cache", "starknet", "strictjson"},
	"node":       {"domain", "starknet", "strictjson", "telemetry"},
	"prover":     {"domain", "strictjson"},
	"repo":       {"cache", "domain", "starknet", "strictjson", "telemetry", "failpoint"},
	"jobs":       {"cache", "domain", "starknet", "strictjson", "telemetry", "failpoint"},
	"access":     {"cache", "domain"},
	"rest":       {"access", "domain", "starknet", "strictjson", "telemetry"},
	"signin":     {"access", "cache", "domain", "strictjson", "telemetry"},
	"graph":      {"access", "cache", "domain", "starknet", "strictjson", "telemetry"},
	"sim":        {"starknet", "strictjson"},
	"sandbox":    {},
	"toolchain":  {"starknet", "strictjson"},
	// Builds join the compilers, the sandbox and the rules of source archives.
	"toolchain/build": {"domain", "sandbox", "starknet"},
	"oracle":          {"sim", "starknet"},
}

// TestImportsFollowTheLayers checks that dependencies point one way, as
// ARCHITECTURE.md draws them. Tests may import more.
func TestImportsFollowTheLayers(t *testing.T) {
	t.Parallel()
	walkGo(t, func(path string) {
		folder, _, nested := strings.Cut(filepath.ToSlash(path), "/")
		if !nested || folder == "cmd" || folder == "bench" || strings.HasSuffix(path, "_test.go") {
			return
		}
		allowed, known := arrowsOf(filepath.ToSlash(filepath.Dir(path)))
		if !known {
			t.Errorf("%s: got no layer for the folder %q, want it in ARCHITECTURE.md and here", path, folder)
			return
		}
		for _, imported := range imports(t, path) {
			target, _, _ := strings.Cut(imported, "/")
			if target != folder && !slices.Contains(allowed, target) && !isTestSupport(path) {
				t.Errorf("%s: got an import of astrolabe/%s, want none: %s must not depend on %s", path, imported, folder, target)
			}
		}
	})
}

// arrowsOf returns the arrows of a folder, or of the nearest folder above it that
// has some.
func arrowsOf(dir string) ([]string, bool) {
	for ; dir != "."; dir = path.Dir(dir) {
		if allowed, known := arrows[dir]; known {
			return allowed, true
		}
	}
	return nil, false
}

// telemetryFiles are the files outside of telemetry that create spans: the outer
// middleware of HTTP and the tracer of statements.
var telemetryFiles = []string{"repo/statement.go", "rest/trace.go"}

// TestTelemetryLibrariesAreImportedOnlyWhereListed keeps the libraries of metrics and
// traces out of packages that only report to them.
func TestTelemetryLibrariesAreImportedOnlyWhereListed(t *testing.T) {
	t.Parallel()
	walkGo(t, func(path string) {
		path = filepath.ToSlash(path)
		if strings.HasPrefix(path, "telemetry/") || strings.HasSuffix(path, "_test.go") {
			return
		}
		for _, imported := range allImports(t, path) {
			metrics := strings.HasPrefix(imported, "github.com/prometheus/")
			traces := strings.HasPrefix(imported, "go.opentelemetry.io/")
			if metrics || traces && !slices.Contains(telemetryFiles, path) {
				t.Errorf("%s: got an import of %s, want reports through astrolabe/telemetry", path, imported)
			}
		}
	})
}

// TestEveryPackageHasADocComment requires a doc.go with a comment that tells a
// newcomer what is in the package.
func TestEveryPackageHasADocComment(t *testing.T) {
	t.Parallel()
	introduced := map[string]bool{}
	walkGo(t, func(path string) {
		if strings.HasSuffix(path, "_test.go") {
			return
		}
		dir, name := filepath.Split(path)
		introduced[dir] = introduced[dir] || name == "doc.go"
		if name != "doc.go" {
			return
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if file.Doc == nil || len(file.Doc.Text()) < 40 {
			t.Errorf("%s: got no package comment, want one of at least 40 characters", path)
		}
	})
	for dir, ok := range introduced {
		if !ok {
			t.Errorf("%s: got no doc.go, want one", dir)
		}
	}
}

// imports lists the packages of this module that a file imports, relative to
// the module.
func imports(t *testing.T, path string) []string {
	t.Helper()
	var ours []string
	for _, imported := range allImports(t, path) {
		if rest, ok := strings.CutPrefix(imported, "astrolabe/"); ok {
			ours = append(ours, rest)
		}
	}
	return ours
}

// allImports lists the packages that a file imports.
func allImports(t *testing.T, path string) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	all := make([]string, len(file.Imports))
	for i, spec := range file.Imports {
		if all[i], err = strconv.Unquote(spec.Path.Value); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

func walkGo(t *testing.T, visit func(path string)) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "node_modules" || entry.Name() == "testdata" || entry.Name() == "clients"):
			return filepath.SkipDir
		case entry.IsDir() && path != "." && hasModule(path):
			return filepath.SkipDir // a module of its own
		case strings.HasSuffix(path, ".go"):
			visit(path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func hasModule(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}

// isTestSupport reports whether only tests import the package.
func isTestSupport(path string) bool {
	return strings.Contains(path, "pgtest/") || strings.Contains(path, "repotest/") || strings.Contains(path, "accesstest/") || strings.Contains(path, "browsertest/") || strings.Contains(path, "spectest/")
}
