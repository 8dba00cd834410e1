package flatten

import "strings"

// The compiler calls every package by the same name, so paths that begin with
// the package's own name are rewritten to begin with crate. That is exact unless
// something else has that name: then a path may mean it. Declarations, imports,
// attributes and macros introduce names in many ways, so every other use of the
// name counts, except members and the later parts of a path.

// compilerCrate is the name by which the compiler calls every package.
const compilerCrate = "astro"

// name notes a word that is the package's own name. importing is whether it
// stands in a use.
func (f *flattener) name(file *file, i int, importing bool) {
	if file.at(i) != f.pkg.Name {
		return
	}
	before, path := file.at(i-1), file.at(i+1) == "::"
	switch {
	case importing && path && before == "use", !importing && path && before != "::" && before != ".":
		f.edits[file] = append(f.edits[file], edit{at: file.tokens[i]})
		f.ownPathAt(file, i)
	case before == "::" && (path || !importing), before == ".":
	default:
		f.otherUseAt(file, i)
	}
}

// attributeNames notes the package's own name in an attribute, which may
// introduce it. Paths in attributes are not rewritten.
func (f *flattener) attributeNames(file *file, from, to int) {
	for i := from; i < to; i++ {
		if file.tokens[i].kind != word || file.at(i) != f.pkg.Name {
			continue
		}
		f.otherUseAt(file, i)
		if file.at(i+1) == "::" && file.at(i-1) != "::" {
			f.ownPathAt(file, i)
		}
	}
}

func (f *flattener) ownPathAt(file *file, i int) {
	if f.ownPath == "" {
		f.ownPath = file.place(file.tokens[i])
	}
}

func (f *flattener) otherUseAt(file *file, i int) {
	if f.otherUse == "" && file.at(i) == f.pkg.Name {
		f.otherUse = file.place(file.tokens[i])
	}
}

// checkNames refuses a package in which a path may mean the package or an item.
// The names that plugins make up have capital letters or begin with two
// underscores.
func (f *flattener) checkNames() error {
	switch {
	case f.ownPath == "":
		return nil
	case f.otherUse != "":
		return unsupported("%s: a path begins with the package's name %s, which is also a name at %s. Begin the path with \"crate\"; the class stays the same.",
			f.ownPath, quote(f.pkg.Name), f.otherUse)
	case strings.ToLower(f.pkg.Name) != f.pkg.Name, strings.HasPrefix(f.pkg.Name, "__"):
		return unsupported("%s: a path begins with the package's name %s, which may also be the name of generated code. Begin the path with \"crate\"; the class stays the same.",
			f.ownPath, quote(f.pkg.Name))
	}
	return nil
}

// checkCompilerCrate refuses the name by which the compiler calls the package: it
// means something here, but nothing, or something else, to Scarb.
func (f *flattener) checkCompilerCrate(file *file) error {
	if f.pkg.Name == compilerCrate {
		return nil
	}
	for _, t := range file.tokens {
		if t.kind == word && file.textOf(t) == compilerCrate {
			return unsupported("%s: the name %s is not supported, because the compiler gives every package this name.", file.place(t), quote(compilerCrate))
		}
	}
	return nil
}
