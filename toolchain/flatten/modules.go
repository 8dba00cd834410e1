package flatten

import (
	"slices"
	"strings"
)

// The attributes that decide about a module.
const (
	contractAttribute = "starknet::contract"
	cfgAttribute      = "cfg"
)

// scope is what stands between two brackets, or a whole file.
type scope struct {
	// end is the index of the closing bracket.
	end int
	// module is whether items stand in it. Only there, mod declares a module.
	module bool
	// path is the path of the innermost module below the root of the package.
	path []string
	// expanded is whether an attribute makes the compiler rewrite the module.
	expanded bool
}

// attribute is an attribute of an item.
type attribute struct {
	name string
	// test is whether it is cfg(test).
	test bool
	// next is the index of the token after it.
	next int
}

// attributeAt reads the attribute that begins with the token #. The only setting
// of cfg that means the same to both compilers is test.
func (f *file) attributeAt(i int) (attribute, error) {
	end := f.closing[i+1]
	a := attribute{next: end + 1}
	name := i + 2
	for ; name < end && f.at(name) != "("; name++ {
		a.name += f.at(name)
	}
	a.test = a.name == cfgAttribute && end == name+3 && f.at(name+1) == "test"
	if a.name == cfgAttribute && !a.test {
		return a, unsupported("%s: only the attribute cfg(test) is supported, because the compiler does not know other settings. Remove the condition.",
			f.place(f.tokens[i]))
	}
	return a, nil
}

// walk visits the items of a file that stands in the module of a path. It keeps
// the edits that flatten the file.
func (f *flattener) walk(file *file, root []string) error {
	scopes := []scope{{end: len(file.tokens), module: true, path: root}}
	var attributes []attribute
	importing := false
	for i := 0; i < len(file.tokens); {
		inner := scopes[len(scopes)-1]
		symbol := file.at(i)
		switch {
		case i == inner.end:
			scopes = scopes[:len(scopes)-1]
		case symbol == "#" && file.at(i+1) == "[":
			a, err := file.attributeAt(i)
			if err != nil {
				return err
			}
			f.attributeNames(file, i, a.next)
			attributes = append(attributes, a)
			i = a.next
			continue
		case inner.module && symbol == "pub":
			if file.at(i+1) == "(" {
				i = file.closing[i+1]
			}
			i++
			continue
		case inner.module && symbol == "mod" && i+1 < len(file.tokens) && file.tokens[i+1].kind == word:
			next, opened, err := f.module(file, i, inner, attributes)
			if err != nil {
				return err
			}
			if opened != nil {
				scopes = append(scopes, *opened)
			}
			attributes, i = nil, next
			continue
		case symbol == "(" || symbol == "[" || symbol == "{":
			scopes = append(scopes, scope{end: file.closing[i], path: inner.path})
		case file.tokens[i].kind == word:
			f.name(file, i, importing)
		}
		importing = symbol == "use" || importing && symbol != ";"
		attributes = nil
		i++
	}
	return nil
}

// module handles the declaration of a module whose keyword is the token i. It
// returns the index of the next token to visit and, for a module with a body, its
// scope.
func (f *flattener) module(file *file, i int, inner scope, attributes []attribute) (next int, opened *scope, err error) {
	name, body := file.at(i+1), i+2
	path := append(slices.Clone(inner.path), name)
	full := strings.Join(path, "::")
	dropped := slices.ContainsFunc(attributes, func(a attribute) bool { return a.test })
	attributes = slices.DeleteFunc(attributes, func(a attribute) bool { return a.test })
	switch {
	case dropped && file.at(body) == "{":
		return file.closing[body] + 1, nil, nil
	case dropped:
		return body, nil, nil
	case f.declared[full]:
		return 0, nil, failed("%s: the module %s is declared twice.", file.place(file.tokens[i]), quote(full))
	case len(path) > maxDepth:
		return 0, nil, failed("%s: modules are nested more than %d levels deep.", file.place(file.tokens[i]), maxDepth)
	}
	f.declared[full] = true
	f.otherUseAt(file, i+1)
	if slices.ContainsFunc(attributes, func(a attribute) bool { return a.name == contractAttribute }) {
		f.contracts = append(f.contracts, f.pkg.Name+"::"+full)
	}
	switch {
	case file.at(body) == "{":
		return body + 1, &scope{end: file.closing[body], module: true, path: path, expanded: inner.expanded || len(attributes) > 0}, nil
	case file.at(body) != ";":
		return 0, nil, failed("%s: the name of a module must be followed by ; or {.", file.place(file.tokens[i]))
	case len(attributes) > 0:
		return 0, nil, unsupported("%s: the module %s has the attribute %s and is in its own file. Move the module into %s, or remove the attribute.",
			file.place(file.tokens[i]), quote(full), quote(attributes[0].name), quote(file.path))
	case inner.expanded:
		return 0, nil, unsupported("%s: the module %s is in its own file, but it is declared in a module with attributes, such as a contract. Move it there.",
			file.place(file.tokens[i]), quote(full))
	}
	f.edits[file] = append(f.edits[file], edit{at: file.tokens[body], module: path})
	return body + 1, nil, nil
}
