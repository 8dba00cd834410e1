package main

import (
	"go/ast"
	"path"
	"strconv"
	"strings"
)

// dropUnused takes out methods that nobody calls, and then those that only they
// called, and imports of which nothing is used.
func dropUnused(code []byte) ([]byte, error) {
	for {
		s, err := parse(code)
		if err != nil {
			return nil, err
		}
		used := s.selected()
		for name, method := range s.methods {
			if !used[name] {
				s.remove(method)
			}
		}
		for _, imported := range s.file.Imports {
			if !used[s.packageOf(imported)] {
				s.replace(imported, "")
			}
		}
		if len(s.edits) == 0 {
			return code, nil
		}
		code = s.edited()
	}
}

// selected are the names that are selected of something, and of which something
// is selected.
func (s *source) selected() map[string]bool {
	names := map[string]bool{}
	ast.Inspect(s.file, func(n ast.Node) bool {
		if selector, ok := n.(*ast.SelectorExpr); ok {
			names[selector.Sel.Name] = true
			if whole, ok := selector.X.(*ast.Ident); ok {
				names[whole.Name] = true
			}
		}
		return true
	})
	return names
}

// packageOf is the name by which an imported package goes.
func (s *source) packageOf(imported *ast.ImportSpec) string {
	if imported.Name != nil {
		return imported.Name.Name
	}
	name, err := strconv.Unquote(imported.Path.Value)
	if err != nil {
		panic(err) // the parser let it through
	}
	return strings.TrimPrefix(path.Base(name), "go-")
}
