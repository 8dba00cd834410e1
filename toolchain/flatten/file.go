package flatten

import (
	"io/fs"
	"path"
	"strconv"
	"strings"
	"unicode/utf8"
)

// file is a Cairo file whose tokens and brackets are in order.
type file struct {
	path   string
	text   string
	tokens []token
	// closing is, for each opening bracket, the index of its closing one.
	closing map[int]int
}

// readFile reads the file of a module. A file that the compiler cannot read, or
// that would run on into the text around it, is Failed.
func readFile(tree fs.FS, name string) (*file, error) {
	info, err := fs.Lstat(tree, name)
	if err != nil || !info.Mode().IsRegular() {
		return nil, missing(tree, name)
	}
	content, err := fs.ReadFile(tree, name)
	if err != nil {
		return nil, err
	}
	f := &file{path: name, text: string(content)}
	switch {
	case strings.HasPrefix(f.text, "\ufeff"):
		return nil, failed("%s begins with a byte order mark, which the Cairo compiler does not accept. Remove it.", quote(name))
	case !utf8.ValidString(f.text):
		return nil, failed("%s is not valid UTF-8.", quote(name))
	}
	f.tokens = scan(f.text)
	for _, t := range f.tokens {
		if t.kind == bad {
			return nil, failed("%s: the character %s is not part of Cairo.", f.place(t), quote(f.textOf(t)))
		}
		if t.open {
			return nil, failed("%s: the string has no closing quote.", f.place(t))
		}
	}
	return f, f.matchBrackets()
}

// missing explains that the file of a module does not exist. It names a file
// whose name differs only in case.
func missing(tree fs.FS, name string) error {
	entries, _ := fs.ReadDir(tree, path.Dir(name))
	for _, entry := range entries {
		if entry.Name() != path.Base(name) && strings.EqualFold(entry.Name(), path.Base(name)) {
			return failed("The file %s is missing. The tree has %s, but names are compared with their case.", quote(name), quote(path.Join(path.Dir(name), entry.Name())))
		}
	}
	return failed("The file %s is missing.", quote(name))
}

// matchBrackets finds the partner of each bracket. Without this check, a file
// could close the module that it is written into.
func (f *file) matchBrackets() error {
	f.closing = map[int]int{}
	var open []int
	for i, t := range f.tokens {
		switch symbol := f.textOf(t); {
		case t.kind != punctuation:
		case strings.Contains("([{", symbol):
			open = append(open, i)
		case strings.Contains(")]}", symbol):
			if len(open) == 0 {
				return failed("%s: %s has no opening bracket.", f.place(t), symbol)
			}
			last := open[len(open)-1]
			if partner := map[string]string{"(": ")", "[": "]", "{": "}"}[f.textOf(f.tokens[last])]; symbol != partner {
				return failed("%s: found %s, expected %s.", f.place(t), symbol, partner)
			}
			f.closing[last], open = i, open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		return failed("%s: the bracket is not closed in this file.", f.place(f.tokens[open[len(open)-1]]))
	}
	return nil
}

// textOf returns the text of a token.
func (f *file) textOf(t token) string { return f.text[t.start:t.end] }

// at returns the text of the token with an index, or "" outside of the file.
func (f *file) at(i int) string {
	if i < 0 || i >= len(f.tokens) {
		return ""
	}
	return f.textOf(f.tokens[i])
}

// place returns the file and line of a token for a message.
func (f *file) place(t token) string {
	return quote(f.path) + " line " + strconv.Itoa(1+strings.Count(f.text[:t.start], "\n"))
}
