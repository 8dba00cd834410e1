package source

import (
	"path"
	"slices"
)

// manifest is what a Scarb.toml says that matters here.
type manifest struct {
	file         string
	folder       string // "." for the root
	name         string // of its package, or "" for a workspace alone
	fields       table  // package
	targets      []string
	dependencies []dependency // also for development
	workspace    *workspace   // nil if the file has no such table
	patches      []patch
}

// workspace is the table of that name.
type workspace struct {
	members      []string
	fields       table // what members may inherit
	dependencies map[string]dependency
}

// parse reads a manifest and checks the rules that concern it alone.
func parse(file string, content []byte) (*manifest, error) {
	root, err := decode(file, content)
	if err != nil {
		return nil, err
	}
	m := &manifest{file: file, folder: path.Dir(file), fields: root.table("package")}
	m.name = m.fields.text("name")
	if root.has("package") && m.name == "" {
		m.fields.wrong("name", "the name of the package")
	}
	if slices.Contains(builtin, m.name) {
		return nil, rejectf("%s defines the package %s, but the toolchain has a built-in package of that name. Rename or remove it.", quote(file), quote(m.name))
	}
	for _, key := range []string{"version", "edition", "cairo-version"} {
		if _, simple := m.fields.keys[key].(string); !simple {
			m.fields.table(key) // inherited, or of a wrong type
		}
	}
	for _, target := range root.table("target").tables("starknet-contract") {
		name := target.text("name")
		if name == "" {
			name = m.name
		}
		m.targets = append(m.targets, name)
	}
	m.dependencies = append(dependencies(root, "dependencies", false), dependencies(root, "dev-dependencies", true)...)
	m.patches = readPatches(root.table("patch"))
	if root.has("workspace") {
		m.workspace = readWorkspace(root.table("workspace"))
	}
	if err := checkCode(root); err != nil {
		return nil, err
	}
	if err := m.checkPaths(root); err != nil {
		return nil, err
	}
	return m, root.document.err
}

func readWorkspace(t table) *workspace {
	w := &workspace{members: t.texts("members"), fields: t.table("package"), dependencies: map[string]dependency{}}
	for _, d := range dependencies(t, "dependencies", false) {
		w.dependencies[d.name] = d
	}
	return w
}

// field returns a text of the package, which it may inherit from its workspace.
func (m *manifest) field(key string, inherited *manifest) string {
	if text, ok := m.fields.keys[key].(string); ok {
		return text
	}
	if inherits, ok := m.fields.table(key).keys["workspace"].(bool); ok && inherits && inherited != nil {
		return inherited.workspace.fields.text(key)
	}
	return ""
}
