package astrolabe_test

import (
	"go/ast"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Statements are recognised by their names: SQL that begins with /* noun.act */,
// and the comment that a builder is given.
var (
	namedSQL     = regexp.MustCompile(`/\* [a-z_0-9%\[\]]+\.[a-z_0-9%\[\]]+ \*/`)
	namedBuilder = regexp.MustCompile(`^"[a-z_]+\.[a-z_0-9]+"$`)
)

// How a statement can be run: by bun, which takes its columns from a model or
// scans its rows into one, or past it.
var runners = map[string]bool{
	"NewRaw": true, "Comment": true, "Select": true, "Each": true, "ScanRows": true,

	"Exec": false, "Query": false, "QueryRow": false, "ExecContext": false, "QueryContext": false, "QueryRowContext": false,
	"CopyFrom": false, "Queue": false,
}

// leastThroughBun is which share of the statements bun must run.
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
				t.Errorf("%s: nothing is known to run %s", fset.Position(s.at), s.name)
			}
			if byBun {
				through++
			}
		}
	}
	share := float64(through) / float64(all)
	t.Logf("%d of %d statements go through bun (%.0f %%, at least %.0f %%)", through, all, 100*share, 100*leastThroughBun)
	if share < leastThroughBun {
		t.Errorf("only %d of %d statements go through bun", through, all)
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
	runners    map[string]bool         // with the package's own functions that pass SQL on
}

func newTrail(files []*ast.File) *trail {
	tr := &trail{uses: map[string][][]ast.Node{}, runners: map[string]bool{}}
	for name, byBun := range runners {
		tr.runners[name] = byBun
	}
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

// inCall tells whether the literal at the end of a path is an argument.
func inCall(path []ast.Node) bool {
	call, ok := path[len(path)-2].(*ast.CallExpr)
	return ok && slices.Contains(call.Args, path[len(path)-1].(ast.Expr))
}

// learn adds functions that give one of their own parameters to a runner, and
// reports whether it found more.
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
			parameters := map[string]bool{}
			for _, field := range f.Type.Params.List {
				for _, name := range field.Names {
					parameters[name.Name] = isString(field.Type)
				}
			}
			ast.Inspect(f.Body, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok {
					return true
				}
				byBun, runs := tr.runners[called(call)]
				if runs && slices.ContainsFunc(call.Args, func(arg ast.Expr) bool { return mentions(arg, parameters) }) {
					tr.runners[f.Name.Name], more = byBun, true
					return false
				}
				return true
			})
		}
	}
	return more
}

func isString(typ ast.Expr) bool {
	name, ok := typ.(*ast.Ident)
	return ok && name.Name == "string"
}

func mentions(e ast.Expr, names map[string]bool) (found bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		if name, ok := n.(*ast.Ident); ok && names[name.Name] {
			found = true
		}
		return !found
	})
	return found
}

// called is the name of the function that a call calls.
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

// runs tells whether bun runs a statement, and whether anything does.
func (tr *trail) runs(s statement) (byBun, known bool) {
	return tr.follow(s.path, map[string]bool{})
}

func (tr *trail) follow(path []ast.Node, followed map[string]bool) (byBun, known bool) {
	for i := len(path) - 1; i >= 0; i-- {
		switch n := path[i].(type) {
		case *ast.CallExpr:
			if byBun, runs := tr.runners[called(n)]; runs {
				return byBun, true
			}
		case *ast.ValueSpec, *ast.AssignStmt, *ast.FuncDecl, *ast.KeyValueExpr:
			for _, name := range carriers(n) {
				if byBun, known := tr.followUses(name, followed); known {
					return byBun, known
				}
			}
		}
	}
	return false, false
}

// carriers are the names under which a statement goes on from a node.
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

func (tr *trail) followUses(name string, followed map[string]bool) (byBun, known bool) {
	if name == "err" || name == "_" || followed[name] {
		return false, false
	}
	followed[name] = true
	for _, use := range tr.uses[name] {
		if byBun, known := tr.follow(use[:len(use)-1], followed); known {
			return byBun, known
		}
	}
	return false, false
}

// TestAStatementThatBypassesBunIsNoticed plants both kinds.
func TestAStatementThatBypassesBunIsNoticed(t *testing.T) {
	t.Parallel()
	file := parseSource(t, `package planted
		const list = "/* planted.list */ SELECT 1"
		const raw = "/* planted.raw */ SELECT 1"
		func read(db DB, sql string) { Select[int](db, sql) }
		func all(db DB) { read(db, list); db.QueryContext(raw); db.NewSelect().Comment("planted.built") }`)
	tr := newTrail([]*ast.File{file})
	got := map[string]bool{}
	for _, s := range tr.statements {
		byBun, known := tr.runs(s)
		if !known {
			t.Errorf("nothing is known to run %s", s.name)
		}
		got[strings.Trim(s.name, `/* "`)] = byBun
	}
	want := map[string]bool{"planted.list": true, "planted.raw": false, "planted.built": true}
	for name, byBun := range want {
		if got[name] != byBun || len(got) != len(want) {
			t.Errorf("%v, want %v", got, want)
		}
	}
}
