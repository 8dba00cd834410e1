package toolchain

import (
	"fmt"
	"regexp"
	"strings"
)

// Source is a Cairo package of one file with one contract in it.
type Source struct {
	// Package is the package's name, which is part of the names of its types.
	Package string
	// ModulePath is the module that the text stands in, such as "contracts::token"; it is
	// empty for the package's root.
	ModulePath string
	// Text is the Cairo source.
	Text string
}

var (
	identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	modulePath = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*(::[A-Za-z_][A-Za-z0-9_]*)*$`)
)

// nested returns the text of the package's root: the source inside its modules. What is added
// stays on the first and last line, so that the lines keep their numbers.
func (s Source) nested() (string, error) {
	if !identifier.MatchString(s.Package) {
		return "", fmt.Errorf("%w: package name %q", ErrMalformedSource, s.Package)
	}
	if s.ModulePath == "" {
		return s.Text, nil
	}
	if !modulePath.MatchString(s.ModulePath) {
		return "", fmt.Errorf("%w: module path %q", ErrMalformedSource, s.ModulePath)
	}
	modules := strings.Split(s.ModulePath, "::")
	var text strings.Builder
	for _, module := range modules {
		text.WriteString("mod " + module + " { ")
	}
	text.WriteString(s.Text)
	text.WriteString("\n" + strings.Repeat("}", len(modules)))
	return text.String(), nil
}
