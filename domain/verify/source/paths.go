package source

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"
)

var drive = regexp.MustCompile(`^[A-Za-z]:`)

// inside returns where a relative path leads from a folder of the tree, and
// whether that is in the tree.
func inside(folder, relative string) (string, bool) {
	if strings.HasPrefix(relative, "/") || strings.Contains(relative, `\`) || drive.MatchString(relative) {
		return "", false
	}
	joined := path.Join(folder, relative)
	return joined, joined != ".." && !strings.HasPrefix(joined, "../")
}

// reference is a path that a manifest names.
type reference struct{ key, path string }

// references returns every path of a manifest, relative to its folder.
func (m *manifest) references(root table) []reference {
	var all []reference
	workspace := root.table("workspace")
	for key, list := range map[string][]dependency{"dependencies": m.dependencies,
		"workspace.dependencies": dependencies(workspace, "dependencies", false), "workspace.dev-dependencies": dependencies(workspace, "dev-dependencies", false)} {
		for _, d := range list {
			if d.local {
				all = append(all, reference{key + "." + d.name + ".path", d.path})
			}
		}
	}
	for _, p := range m.patches {
		if p.local {
			all = append(all, reference{"patch." + p.name + ".path", p.path})
		}
	}
	for _, fields := range []table{m.fields, workspace.table("package")} {
		for _, key := range []string{"license-file", "readme"} {
			if text, ok := fields.keys[key].(string); ok { // it may also be inherited, or a switch
				all = append(all, reference{fields.key(key), text})
			}
		}
	}
	for key, list := range map[string][]string{"workspace.members": workspace.texts("members"), "package.assets": m.fields.texts("assets"), "package.include": m.fields.texts("include")} {
		for _, text := range list {
			all = append(all, reference{key, text})
		}
	}
	for _, target := range targets(root) {
		all = append(all, reference{target.key("source-path"), target.text("source-path")})
		if list, ok := target.keys["allowed-libfuncs-list"].(map[string]any); ok {
			text, _ := list["path"].(string)
			all = append(all, reference{target.key("allowed-libfuncs-list.path"), text})
		}
	}
	slices.SortFunc(all, func(a, b reference) int {
		return cmp.Or(strings.Compare(a.key, b.key), strings.Compare(a.path, b.path))
	})
	return all
}

// checkPaths rejects every path of a manifest that leads out of the tree.
func (m *manifest) checkPaths(root table) error {
	for _, r := range m.references(root) {
		if _, ok := inside(m.folder, r.path); !ok {
			return rejectf("%s: %s is %s, which leads out of the source tree. Move what it names into the tree, and use a relative path with slashes.",
				quote(m.file), quote(r.key), quote(r.path))
		}
	}
	return nil
}

// targets returns the tables that describe what is built.
func targets(root table) []table {
	all := append([]table{root.table("lib"), root.table("executable")}, root.tables("test")...)
	for _, kind := range root.table("target").names() {
		all = append(all, root.table("target").tables(kind)...)
	}
	return all
}
