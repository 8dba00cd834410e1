package astrolabe_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// mostFiles is how many production files a package may have, so that a reader
// finds things in it.
const mostFiles = 35

// TestPackagesHaveAtMost35Files counts the production files of every
// package.
func TestPackagesHaveAtMost35Files(t *testing.T) {
	t.Parallel()
	files := map[string]int{}
	walkGo(t, func(path string) {
		dir := filepath.ToSlash(filepath.Dir(path))
		if !strings.HasSuffix(path, "_test.go") && !strings.HasPrefix(dir, "bench") {
			files[dir]++
		}
	})
	largest := ""
	for dir, count := range files {
		if largest == "" || count > files[largest] {
			largest = dir
		}
		if count > mostFiles {
			t.Errorf("package %s: got %d production files, want at most %d", dir, count, mostFiles)
		}
	}
	t.Logf("%d packages; the largest, %s, has %d production files (at most %d)", len(files), largest, files[largest], mostFiles)
}

// repoSource parses the production files of repo and its packages.
func repoSource(t *testing.T) (*token.FileSet, map[string]*ast.File) {
	t.Helper()
	fset, files := token.NewFileSet(), map[string]*ast.File{}
	walkGo(t, func(path string) {
		path = filepath.ToSlash(path)
		if !strings.HasPrefix(path, "repo/") || strings.HasSuffix(path, "_test.go") || isTestSupport(path) {
			return
		}
		file, err := parser.ParseFile(fset, path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files[path] = file
	})
	return fset, files
}

// TestOnlyListedFilesUsePgx compares the files that import pgx with the list in
// docs/adr/0014-repositories-on-bun.md. Benchmarks and tests may import it.
func TestOnlyListedFilesUsePgx(t *testing.T) {
	t.Parallel()
	var importing []string
	walkGo(t, func(path string) {
		path = filepath.ToSlash(path)
		if strings.HasPrefix(path, "bench/") || strings.HasSuffix(path, "_test.go") || isTestSupport(path) {
			return
		}
		if slices.ContainsFunc(allImports(t, path), func(imported string) bool { return strings.HasPrefix(imported, "github.com/jackc/pgx") }) {
			importing = append(importing, path)
		}
	})
	slices.Sort(importing)
	if !slices.Equal(importing, pgxFiles) {
		t.Errorf("got the files\n%s\nthat import pgx, want those of the ADR:\n%s", strings.Join(importing, "\n"), strings.Join(pgxFiles, "\n"))
	}
	t.Logf("%d files import pgx", len(importing))
}

// pgxFiles are the files that need what bun does not have: the pools, COPY,
// LISTEN, locks, the job queue, and the driver's own errors and tracing.
var pgxFiles = []string{
	"repo/address.go", "repo/connectfailure.go", "repo/connector.go", "repo/db.go", "repo/enqueue.go", "repo/listen.go", "repo/migrate.go", "repo/outage.go", "repo/pooler.go", "repo/queue.go", "repo/reader.go", "repo/select.go", "repo/statement.go", "repo/tx.go",
}

// mostMethods is how many exported methods a repository may have.
const mostMethods = 15

// TestRepositoriesStaySmall counts the exported methods of every type of repo.
func TestRepositoriesStaySmall(t *testing.T) {
	t.Parallel()
	_, files := repoSource(t)
	methods := map[string]int{}
	for path, file := range files {
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || f.Recv == nil || !f.Name.IsExported() {
				continue
			}
			typ := f.Recv.List[0].Type
			if star, ok := typ.(*ast.StarExpr); ok {
				typ = star.X
			}
			if name, ok := typ.(*ast.Ident); ok {
				methods[filepath.Dir(path)+"."+name.Name]++
			}
		}
	}
	largest := ""
	for name, count := range methods {
		if largest == "" || count > methods[largest] {
			largest = name
		}
		if count > mostMethods {
			t.Errorf("%s: got %d exported methods, want at most %d", name, count, mostMethods)
		}
	}
	t.Logf("%d types; the largest, %s, has %d exported methods (at most %d)", len(methods), largest, methods[largest], mostMethods)
}

// parseSource parses a file that is written in a test.
func parseSource(t *testing.T, text string) *ast.File {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "planted.go", text, 0)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// TestRepositoriesImportOnlyRepoAndModel keeps the packages of repo independent
// of one another, so that each can be read alone.
func TestRepositoriesImportOnlyRepoAndModel(t *testing.T) {
	t.Parallel()
	walkGo(t, func(path string) {
		path = filepath.ToSlash(path)
		room := strings.Split(path, "/")
		if room[0] != "repo" || len(room) < 3 || room[1] == "repositories" || strings.HasSuffix(path, "_test.go") || isTestSupport(path) {
			return
		}
		for _, imported := range imports(t, path) {
			if strings.HasPrefix(imported, "repo/") && imported != "repo/model" {
				t.Errorf("%s: got an import of astrolabe/%s, want only repo and repo/model", path, imported)
			}
		}
	})
}

// TestTestsThatStartGoroutinesAreRaced holds the lists of the Makefile against the
// tests that start goroutines themselves: RACED_TESTS has those of RACED_IN, and other
// packages of UNRACED have none, unless they are in NEVER_RACED. Those of RACED_IN that
// measure memory, or hash for minutes, call repotest.SkipRaced. In other packages, or as
// one of RACED_TESTS, they would never run.
func TestTestsThatStartGoroutinesAreRaced(t *testing.T) {
	t.Parallel()
	makefile, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	list := func(name string) string {
		found := regexp.MustCompile(`(?m)^` + name + ` := (.+)$`).FindSubmatch(makefile)
		if found == nil {
			t.Fatalf("got a Makefile without %s, want it there", name)
		}
		return string(found[1])
	}
	inBoth, never, unraced := strings.Fields(list("RACED_IN")), strings.Fields(list("NEVER_RACED")), strings.Fields(list("UNRACED"))
	pattern, starting := regexp.MustCompile(list("RACED_TESTS")), 0
	walkGo(t, func(path string) {
		if !strings.HasSuffix(path, "_test.go") {
			return
		}
		folder := "./" + filepath.ToSlash(filepath.Dir(path))
		partly := slices.Contains(inBoth, folder)
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			test, ok := d.(*ast.FuncDecl)
			if !ok || test.Body == nil || !strings.HasPrefix(test.Name.Name, "Test") || test.Name.Name == "TestMain" {
				continue
			}
			starts, skips := startsGoroutine(test.Body)
			switch {
			case skips && !partly:
				t.Errorf("%s: got a call of SkipRaced in %s, want it only in packages of RACED_IN", path, test.Name.Name)
			case skips && pattern.MatchString(test.Name.Name):
				t.Errorf("%s: got a call of SkipRaced in %s, which is one of RACED_TESTS and never runs, want only one of both", path, test.Name.Name)
			case starts && partly && !skips:
				starting++
				if !pattern.MatchString(test.Name.Name) {
					t.Errorf("%s: got no %s in RACED_TESTS, want it there", path, test.Name.Name)
				}
			case starts && !partly && matchesAny(unraced, folder) && !matchesAny(never, folder):
				t.Errorf("%s: got the goroutine of %s in a package that is not raced, want %s in RACED_IN", path, test.Name.Name, folder)
			}
		}
	})
	if starting == 0 {
		t.Error("got no test that starts a goroutine, want some")
	}
}

// matchesAny reports whether a folder is one of the patterns of the go command.
func matchesAny(patterns []string, folder string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		parent, all := strings.CutSuffix(pattern, "/...")
		return folder == parent || all && strings.HasPrefix(folder, parent+"/")
	})
}

// startsGoroutine reports whether a test starts goroutines, with the keyword or with
// the method Go of a group, and whether it calls SkipRaced.
func startsGoroutine(body *ast.BlockStmt) (starts, skips bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			starts = true
		case *ast.SelectorExpr:
			starts, skips = starts || n.Sel.Name == "Go", skips || n.Sel.Name == "SkipRaced"
		}
		return true
	})
	return starts, skips
}
