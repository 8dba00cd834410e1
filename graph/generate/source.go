package main

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
)

// source is a file of Go and what is to be changed in it.
type source struct {
	text    []byte
	set     *token.FileSet
	file    *ast.File
	methods map[string]*ast.FuncDecl // of the execution context
	edits   []edit
}

// edit replaces the text between two places.
type edit struct {
	from, to int
	with     string
}

func parse(code []byte) (*source, error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "", code, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	s := &source{text: code, set: set, file: file, methods: map[string]*ast.FuncDecl{}}
	for _, declared := range file.Decls {
		if f, ok := declared.(*ast.FuncDecl); ok && f.Recv != nil && s.is(f.Recv.List[0].Type, "*executionContext") {
			s.methods[f.Name.Name] = f
		}
	}
	return s, nil
}

// at is where a position lies in the text.
func (s *source) at(p token.Pos) int { return s.set.Position(p).Offset }

// of is the text of a node.
func (s *source) of(n ast.Node) string { return string(s.text[s.at(n.Pos()):s.at(n.End())]) }

// is compares an expression with its text.
func (s *source) is(n ast.Node, text string) bool {
	_, isExpression := n.(ast.Expr)
	return isExpression && s.of(n) == text
}

// every calls a function for every node and counts those that it changed.
func (s *source) every(change func(ast.Node) bool) (changes int) {
	ast.Inspect(s.file, func(n ast.Node) bool {
		if n != nil && change(n) {
			changes++
		}
		return true
	})
	return changes
}

// replace changes the text of a node.
func (s *source) replace(n ast.Node, with string) bool {
	return s.edit(s.at(n.Pos()), s.at(n.End()), with)
}

// edit changes the text between two places. It is true, for whoever counts.
func (s *source) edit(from, to int, with string) bool {
	s.edits = append(s.edits, edit{from, to, with})
	return true
}

// remove takes a declaration out, with what is said of it.
func (s *source) remove(f *ast.FuncDecl) {
	from := f.Pos()
	if f.Doc != nil {
		from = f.Doc.Pos()
	}
	s.edit(s.at(from), s.at(f.End()), "")
}

// insert adds text.
func (s *source) insert(p token.Pos, text string) bool { return s.edit(s.at(p), s.at(p), text) }

// skip leaves out a text, if it stands at a place.
func (s *source) skip(p token.Pos, text string) bool {
	from := s.at(p)
	return !strings.HasPrefix(string(s.text[from:]), text) || s.edit(from, from+len(text), "")
}

// edited is the text with all changes made.
func (s *source) edited() []byte {
	slices.SortStableFunc(s.edits, func(a, b edit) int { return cmp.Compare(a.from, b.from) })
	var out []byte
	end := 0
	for _, e := range s.edits {
		out = append(append(out, s.text[end:e.from]...), e.with...)
		end = e.to
	}
	return append(out, s.text[end:]...)
}
