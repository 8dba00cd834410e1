package astrolabe_test

import (
	"go/ast"
	"go/token"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"astrolabe/repo"
)

// Statements are found by their names: SQL that begins with /* noun.act */,
// and the comment of a query builder.
var (
	namedSQL     = regexp.MustCompile(`/\* [a-z_0-9%\[\]]+\.[a-z_0-9%\[\]]+ \*/`)
	namedBuilder = regexp.MustCompile(`^"[a-z_]+\.[a-z_0-9]+"$`)
)

// runner is a function that runs a statement: through bun, which takes its
// columns from a model or scans its rows into one, or past it.
type runner struct {
	byBun bool
	sql   []int // which arguments can be the statement, or its name
}

var runners = map[string]runner{
	"NewRaw": {true, []int{0}}, "Comment": {true, []int{0}}, "Select": {true, []int{2}}, "Each": {true, []int{3}},

	"Exec": {false, []int{0, 1, 2}}, "Query": {false, []int{0, 1}}, "QueryRow": {false, []int{0, 1}}, "Queue": {false, []int{0}},
	"ExecContext": {false, []int{1}}, "QueryContext": {false, []int{1}}, "QueryRowContext": {false, []int{1}}, "CopyFrom": {false, []int{2}},
}

// leastThroughBun is the share of the statements that bun must run.
const leastThroughBun = 0.75

// TestStatementsGoThroughBun follows every named statement of repo to the call
// that runs it.
func TestStatementsGoThroughBun(t *testing.T) {
	t.Parallel()
	fset, files := repoSource(t)
	packages := map[string][]*ast.File{}
	for path, file := range files {
		dir := filepath.Dir(path)
		packages[dir] = append(packages[dir], file)
	}
	all, through := 0, 0
	for _, sources := range packages {
		trail := newTrail(sources)
		for _, s := range trail.statements {
			all++
			byBun, known := trail.runs(s)
			if !known {
				t.Errorf("%s: got no call that runs %s, want one", fset.Position(s.at), s.name)
			}
			if byBun {
				through++
			}
		}
	}
	if all < 200 {
		t.Fatalf("got %d statements, want at least 200", all)
	}
	share := float64(through) / float64(all)
	t.Logf("%d of %d statements go through bun (%.0f %%, at least %.0f %%)", through, all, 100*share, 100*leastThroughBun)
	if share < leastThroughBun {
		t.Errorf("got %d of %d statements through bun, want a share of at least %v", through, all, leastThroughBun)
	}
}

// statement is a place in the source that names a statement.
type statement struct {
	name string
	at   token.Pos
	path []ast.Node // from the file to the literal
}

// trail follows statements through one package: from a literal to the constant,
// variable or function that it is a part of, and to the calls that get it.
type trail struct {
	statements []statement
	uses       map[string][][]ast.Node // of each name, the paths to its uses
	runners    map[string]runner       // with the package's own functions that pass SQL on
}

func newTrail(files []*ast.File) *trail {
	tr := &trail{uses: map[string][][]ast.Node{}, runners: maps.Clone(runners)}
	for _, file := range files {
		var path []ast.Node
		ast.Inspect(file, func(n ast.Node) bool {
			if n == nil {
				path = path[:len(path)-1]
				return true
			}
			path = append(path, n)
			switch n := n.(type) {
			case *ast.BasicLit:
				if n.Kind != token.STRING {
					break
				}
				if name := namedSQL.FindString(n.Value); name != "" {
					tr.statements = append(tr.statements, statement{name, n.Pos(), slices.Clone(path)})
				} else if namedBuilder.MatchString(n.Value) && inCall(path) {
					tr.statements = append(tr.statements, statement{n.Value, n.Pos(), slices.Clone(path)})
				}
			case *ast.Ident:
				tr.uses[n.Name] = append(tr.uses[n.Name], slices.Clone(path))
			}
			return true
		})
	}
	for tr.learn(files) {
	}
	return tr
}

// inCall reports whether the literal at the end of a path is an argument.
func inCall(path []ast.Node) bool {
	call, ok := path[len(path)-2].(*ast.CallExpr)
	return ok && slices.Contains(call.Args, path[len(path)-1].(ast.Expr))
}

// learn adds functions that run one of their own parameters, and reports
// whether it found more.
func (tr *trail) learn(files []*ast.File) (more bool) {
	for _, file := range files {
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || f.Body == nil {
				continue
			}
			if _, known := tr.runners[f.Name.Name]; known {
				continue
			}
			parameters := positions(f.Type.Params)
			ast.Inspect(f.Body, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok {
					return true
				}
				r, runs := tr.runners[called(call)]
				for _, at := range r.sql {
					if !runs || at >= len(call.Args) {
						continue
					}
					ast.Inspect(call.Args[at], func(n ast.Node) bool {
						name, ok := n.(*ast.Ident)
						if !ok {
							return true
						}
						if position, ok := parameters[name.Name]; ok {
							tr.runners[f.Name.Name], more = runner{r.byBun, []int{position}}, true
						}
						return true
					})
				}
				return true
			})
		}
	}
	return more
}

// positions returns the positions of the parameters that are strings.
func positions(list *ast.FieldList) map[string]int {
	found, at := map[string]int{}, 0
	for _, field := range list.List {
		typ, ok := field.Type.(*ast.Ident)
		for _, name := range field.Names {
			if ok && typ.Name == "string" {
				found[name.Name] = at
			}
			at++
		}
	}
	return found
}

// called returns the name of the function that a call calls.
func called(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	case *ast.IndexExpr: // with type arguments
		return called(&ast.CallExpr{Fun: f.X})
	case *ast.IndexListExpr:
		return called(&ast.CallExpr{Fun: f.X})
	}
	return ""
}

// runs reports whether bun runs a statement, and whether anything does.
func (tr *trail) runs(s statement) (byBun, known bool) {
	return tr.follow(s.path, map[string]bool{})
}

func (tr *trail) follow(path []ast.Node, followed map[string]bool) (byBun, known bool) {
	for i := len(path) - 1; i >= 0; i-- {
		switch n := path[i].(type) {
		case *ast.CallExpr:
			r, runs := tr.runners[called(n)]
			for _, at := range r.sql {
				if runs && at < len(n.Args) && i+1 < len(path) && n.Args[at] == path[i+1] {
					return r.byBun, true
				}
			}
		case *ast.ValueSpec, *ast.AssignStmt, *ast.FuncDecl, *ast.KeyValueExpr:
			for _, name := range carriers(n) {
				if byBun, known := tr.followUses(name, within(n, path), followed); known {
					return byBun, known
				}
			}
		}
	}
	return false, false
}

// within returns the function in which a local name is declared; nil for other names.
func within(n ast.Node, path []ast.Node) ast.Node {
	if _, isFunction := n.(*ast.FuncDecl); isFunction {
		return nil
	}
	for _, parent := range path {
		if f, ok := parent.(*ast.FuncDecl); ok {
			if _, isField := n.(*ast.KeyValueExpr); !isField {
				return f
			}
		}
	}
	return nil
}

// carriers returns the names under which a node passes a statement on.
func carriers(n ast.Node) (names []string) {
	switch n := n.(type) {
	case *ast.ValueSpec:
		for _, name := range n.Names {
			names = append(names, name.Name)
		}
	case *ast.AssignStmt:
		for _, to := range n.Lhs {
			switch to := to.(type) {
			case *ast.Ident:
				names = append(names, to.Name)
			case *ast.SelectorExpr:
				names = append(names, to.Sel.Name)
			}
		}
	case *ast.KeyValueExpr:
		if name, ok := n.Key.(*ast.Ident); ok {
			names = append(names, name.Name)
		}
	case *ast.FuncDecl:
		names = append(names, n.Name.Name)
	}
	return names
}

// followUses follows a name to its uses. Bun runs a statement only if it does so
// at every use.
func (tr *trail) followUses(name string, scope ast.Node, followed map[string]bool) (byBun, known bool) {
	if name == "err" || name == "_" || followed[name] {
		return false, false
	}
	followed[name] = true
	byBun = true
	for _, use := range tr.uses[name] {
		if scope != nil && !slices.Contains(use, scope) {
			continue
		}
		if through, runs := tr.follow(use, followed); runs {
			byBun, known = byBun && through, true
		}
	}
	return byBun && known, known
}

// TestOnlyListedFilesBypassBun looks for calls that could run SQL without being
// counted above: only the files that use pgx may make them.
func TestOnlyListedFilesBypassBun(t *testing.T) {
	t.Parallel()
	fset, files := repoSource(t)
	for path, file := range files {
		if slices.Contains(pgxFiles, path) {
			continue
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			switch name := called(call); name {
			case "Query", "QueryRow", "QueryContext", "QueryRowContext", "ExecContext", "Prepare", "PrepareContext":
				t.Errorf("%s: got a call of %s, want it through bun", fset.Position(call.Pos()), name)
			}
			return true
		})
	}
}

// TestStatementThatBypassesBunIsDetected checks sources with both kinds of statements.
func TestStatementThatBypassesBunIsDetected(t *testing.T) {
	t.Parallel()
	file := parseSource(t, `package planted
		const list = "/* planted.list */ SELECT 1"
		const raw = "/* planted.raw */ SELECT 1"
		const twice = "/* planted.twice */ SELECT 1"
		func read(ctx C, db DB, sql, argument string) { Select[int](ctx, db, sql, argument) }
		func named(db DB, name string) { db.NewSelect().Comment(name) }
		func all(ctx C, db DB) { read(ctx, db, list, "a"); db.QueryContext(ctx, raw); named(db, "planted.built") }
		func one(ctx C, db DB) { q := "/* planted.local */ SELECT 1"; db.QueryContext(ctx, q) }
		func other(ctx C, db DB) { q := "/* planted.other */ SELECT 1"; Select[int](ctx, db, q) }
		func both(ctx C, db DB) { Select[int](ctx, db, twice); db.QueryContext(ctx, twice) }`)
	tr := newTrail([]*ast.File{file})
	got := map[string]bool{}
	for _, s := range tr.statements {
		byBun, known := tr.runs(s)
		if !known {
			t.Errorf("got no call that runs %s, want one", s.name)
		}
		got[strings.Trim(s.name, `/* "`)] = byBun
	}
	want := map[string]bool{
		"planted.list": true, "planted.raw": false, "planted.built": true, "planted.twice": false, "planted.local": false, "planted.other": true,
	}
	for name, byBun := range want {
		if got[name] != byBun || len(got) != len(want) {
			t.Errorf("got %v, want %v", got, want)
		}
	}
}

// TestHotStatementsExist compares the names that have their own metrics with the
// statements of repo.
func TestHotStatementsExist(t *testing.T) {
	t.Parallel()
	_, files := repoSource(t)
	names := map[string]bool{}
	var templates []*regexp.Regexp
	verb := regexp.MustCompile(`%(\\\[\d+\\\])?s`)
	for path, file := range files {
		if path == "repo/hot.go" {
			continue
		}
		for _, s := range newTrail([]*ast.File{file}).statements {
			name := strings.Trim(s.name, `/* "`)
			names[name] = true
			if strings.Contains(name, "%") {
				templates = append(templates, regexp.MustCompile("^"+verb.ReplaceAllString(regexp.QuoteMeta(name), "[a-z_]+")+"$"))
			}
		}
	}
	for _, name := range repo.HotStatements {
		if !names[name] && !slices.ContainsFunc(templates, func(t *regexp.Regexp) bool { return t.MatchString(name) }) {
			t.Errorf("got no statement %s in repo, want one", name)
		}
	}
}
