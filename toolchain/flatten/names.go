package flatten

// The compiler calls every package by the same name, so paths that begin with
// the package's own name are rewritten to begin with crate. That is exact unless
// something else has that name: then a path may mean it.

// itemKeywords stand before the name of an item.
var itemKeywords = map[string]bool{
	"mod": true, "fn": true, "struct": true, "enum": true, "trait": true, "impl": true, "const": true, "type": true, "as": true,
}

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
		if f.ownPath == "" {
			f.ownPath = file.place(file.tokens[i])
		}
	case importing && !path && file.at(i+1) != "as", itemKeywords[before]:
		f.item(file, i)
	}
}

// item notes the name of an item.
func (f *flattener) item(file *file, i int) {
	if f.ownItem == "" && file.at(i) == f.pkg.Name {
		f.ownItem = file.place(file.tokens[i])
	}
}

// checkNames refuses a package in which a path may mean the package or an item.
func (f *flattener) checkNames() error {
	if f.ownPath == "" || f.ownItem == "" {
		return nil
	}
	return unsupported("%s: a path begins with the package's name %s, which is also a name at %s. Begin the path with \"crate\"; the class stays the same.",
		f.ownPath, quote(f.pkg.Name), f.ownItem)
}
