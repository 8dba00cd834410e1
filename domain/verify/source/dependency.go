package source

import "slices"

// dependency is one line of a table of dependencies.
type dependency struct {
	name      string
	dev       bool
	inherited bool   // from the workspace
	path      string // relative to its manifest, if local
	local     bool
	source    string // where else it comes from, as of canonical
	origin    string // the same for messages
	custom    bool   // not from the default registry
}

// builtin are the packages that are part of every toolchain. They need no
// source and are not in Scarb.lock.
var builtin = []string{"assert_macros", "cairo_execute", "cairo_test", "core", "starknet"}

// provided reports whether the toolchain provides the package.
func (d dependency) provided() bool {
	return slices.Contains(builtin, d.name) && !d.local && !d.custom
}

// dependencies reads a table of dependencies.
func dependencies(parent table, key string, dev bool) []dependency {
	t := parent.table(key)
	var all []dependency
	for _, name := range t.names() {
		d := dependency{name: name, dev: dev, source: defaultRegistry, origin: "the registry"}
		if _, simple := t.keys[name].(string); !simple {
			d.read(t.table(name))
		}
		all = append(all, d)
	}
	return all
}

// read reads a dependency that is written as a table. As in Scarb, a path wins
// over a version and a registry.
func (d *dependency) read(t table) {
	if inherited, ok := t.keys["workspace"].(bool); ok {
		d.inherited = inherited
	} else if t.has("workspace") {
		t.wrong("workspace", "true or false")
	}
	d.path, d.local = t.text("path"), t.has("path")
	switch {
	case t.has("git") || t.has("branch") || t.has("tag") || t.has("rev"):
		d.source, d.origin, d.custom, d.local = canonical(t.text("git")), "Git", true, false
	case t.has("registry"):
		d.source, d.origin, d.custom = canonical(t.text("registry")), "a registry", true
	}
	if d.local {
		d.source = ""
	}
}
