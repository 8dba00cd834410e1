package flatten

import (
	"io/fs"
	"path"
	"slices"
	"strings"
)

// maxDepth bounds how deep modules are nested.
const maxDepth = 64

// rootFile is the file of the root module, below the folder of the package. The
// file of the module a::b is a/b.cairo beside it; the compiler knows no others.
const rootFile = "src/lib.cairo"

// Package says what to flatten.
type Package struct {
	// Name is the package's name.
	Name string
	// Target is the name of its target of kind starknet-contract.
	Target string
	// ModulePath is the full path of the contract, such as hello::Hello.
	ModulePath string
	// Manifest is the path of the package's Scarb.toml in the tree.
	Manifest string
}

// Source is a package in one text.
type Source struct {
	Text  string
	lines []origin
}

// origin is where a line of the text comes from.
type origin struct {
	file string
	line int
}

// Origin returns the file and the line that a line of the text comes from. Lines
// are counted from 1. It returns "" for lines outside of the text.
func (s *Source) Origin(line int) (file string, number int) {
	if line < 1 || line > len(s.lines) {
		return "", 0
	}
	return s.lines[line-1].file, s.lines[line-1].line
}

// Tree flattens a package of a tree. It returns a *Refusal for a package that the
// compiler cannot build exactly or at all, and for one whose only contract is not
// the wanted one. Every other error is of the file system.
func Tree(tree fs.FS, p Package) (*Source, error) {
	if err := checkManifests(tree, p); err != nil {
		return nil, err
	}
	f := &flattener{tree: tree, pkg: p, folder: path.Dir(p.Manifest), declared: map[string]bool{}, edits: map[*file][]edit{}, files: map[string]*file{}}
	if err := f.read(nil); err != nil {
		return nil, err
	}
	if err := f.checkNames(); err != nil {
		return nil, err
	}
	if err := f.checkContract(); err != nil {
		return nil, err
	}
	f.write(f.files[""])
	return &Source{f.text.String(), f.lines}, nil
}

// flattener reads the files of a package, and then writes the text.
type flattener struct {
	tree   fs.FS
	pkg    Package
	folder string

	files     map[string]*file // by module path
	declared  map[string]bool  // module paths
	contracts []string         // full paths
	edits     map[*file][]edit
	ownPath   string // where a path begins with the package's name
	otherUse  string // where something else may have the package's name

	text      strings.Builder
	lines     []origin
	lineEnded bool
}

// edit replaces a token: with the content of a module, or else with crate.
type edit struct {
	at     token
	module []string
}

// read reads the file of a module and of the modules that it declares.
func (f *flattener) read(module []string) error {
	name := path.Join(f.folder, rootFile)
	if len(module) > 0 {
		name = path.Join(f.folder, "src", path.Join(module...)+".cairo")
	}
	file, err := readFile(f.tree, name)
	if err != nil {
		return err
	}
	if err := f.checkCompilerCrate(file); err != nil {
		return err
	}
	f.files[strings.Join(module, "::")] = file
	if err := f.walk(file, module); err != nil {
		return err
	}
	for _, e := range f.edits[file] {
		if e.module != nil {
			if err := f.read(e.module); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkContract checks that the wanted contract is the only one: the compiler
// builds packages of one contract only.
func (f *flattener) checkContract() error {
	switch {
	case len(f.contracts) == 0:
		return failed("The package %s has no contract: no module has the attribute #[%s].", quote(f.pkg.Name), contractAttribute)
	case len(f.contracts) > 1 && slices.Contains(f.contracts, f.pkg.ModulePath):
		return unsupported("The package %s has %d contracts, but the compiler builds packages of one contract only: %s.",
			quote(f.pkg.Name), len(f.contracts), quote(strings.Join(f.contracts, ", ")))
	case !slices.Contains(f.contracts, f.pkg.ModulePath):
		return failed("The package %s has no contract %s. It has %s. Correct modulePath.",
			quote(f.pkg.Name), quote(f.pkg.ModulePath), quote(strings.Join(f.contracts, ", ")))
	}
	return nil
}

// write writes a file with its edits.
func (f *flattener) write(file *file) {
	at, line := 0, 1
	copyTo := func(end int) {
		for _, part := range strings.SplitAfter(file.text[at:end], "\n") {
			f.append(part, origin{file.path, line})
			line += strings.Count(part, "\n")
		}
		at = end
	}
	for _, e := range f.edits[file] {
		copyTo(e.at.start)
		at = e.at.end
		if e.module == nil {
			f.append("crate", origin{file.path, line})
			continue
		}
		f.append(" {\n", origin{file.path, line})
		f.write(f.files[strings.Join(e.module, "::")])
		// A file may end in a comment, so the bracket needs a line of its own.
		f.append("\n}", origin{file.path, line})
	}
	copyTo(len(file.text))
}

// append writes a part, all of whose lines come from one line of a file.
func (f *flattener) append(part string, from origin) {
	for _, line := range strings.SplitAfter(part, "\n") {
		if line == "" {
			continue
		}
		if f.lineEnded || len(f.lines) == 0 {
			f.lines = append(f.lines, from)
		}
		f.text.WriteString(line)
		f.lineEnded = strings.HasSuffix(line, "\n")
	}
}
