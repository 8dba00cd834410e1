package source

import (
	"path"
	"slices"
	"strings"
)

// reach returns the packages that Scarb resolves for the root, sorted by file:
// the members of the workspace, and what they depend on by path. Development
// dependencies count only for members, as in Scarb.
func (c *Check) reach() (members, reached []*manifest, err error) {
	root := c.manifests["."]
	if root.name != "" {
		members = append(members, root)
	}
	if root.workspace != nil {
		matched, err := c.match(root)
		if err != nil {
			return nil, nil, err
		}
		members = append(members, matched...)
	}
	if len(members) == 0 {
		return nil, nil, rejectf("\"Scarb.toml\" defines no package, and no member of its workspace is in the tree. Add [package], or workspace.members.")
	}
	patches, err := root.patched()
	if err != nil {
		return nil, nil, err
	}
	reached = slices.Clone(members)
	known := map[*manifest]bool{}
	for _, m := range members {
		known[m] = true
	}
	for i := 0; i < len(reached); i++ {
		for _, d := range reached[i].dependencies {
			if d.dev && i >= len(members) {
				continue
			}
			next, err := c.resolve(reached[i], d, patches)
			if err != nil {
				return nil, nil, err
			}
			if next != nil && !known[next] {
				reached, known[next] = append(reached, next), true
			}
		}
	}
	slices.SortFunc(reached, func(a, b *manifest) int { return strings.Compare(a.file, b.file) })
	return members, reached, unique(reached)
}

// unique rejects two packages of one name.
func unique(packages []*manifest) error {
	files := map[string]string{}
	for _, m := range packages {
		if first, twice := files[m.name]; twice {
			return rejectf("%s and %s both define the package %s. Rename one.", quote(first), quote(m.file), quote(m.name))
		}
		files[m.name] = m.file
	}
	return nil
}

func errBuiltin(m *manifest, d dependency) error {
	return rejectf("%s replaces the built-in package %s; it must come from the toolchain. Depend on it by version alone.", quote(m.file), quote(d.name))
}

// resolve returns the manifest of a dependency, or nil if the toolchain provides
// it.
func (c *Check) resolve(m *manifest, d dependency, patches map[replaced]dependency) (*manifest, error) {
	from := m
	if d.inherited {
		from = c.workspaceOf(m)
		inherited, known := dependency{}, false
		if from != nil {
			inherited, known = from.workspace.dependencies[d.name]
		}
		if !known {
			return nil, rejectf("%s inherits the dependency %s, but [workspace.dependencies] does not define it.", quote(m.file), quote(d.name))
		}
		d = inherited
	}
	if patch, patched := patches[replaced{d.source, d.name}]; patched {
		from, d = c.manifests["."], patch
	}
	switch {
	case d.provided():
		return nil, nil
	case slices.Contains(builtin, d.name):
		return nil, errBuiltin(from, d)
	case !d.local:
		return nil, errorf(IncompleteOfflineMaterial, "%s depends on the package %s from %s, but builds have no network. "+
			"Copy the package into the tree and depend on it by path, or remove it if only tests need it; then create Scarb.lock again with \"scarb fetch\".",
			quote(from.file), quote(d.name), d.origin)
	}
	folder, _ := inside(from.folder, d.path) // checked with the manifest
	next := c.manifests[folder]
	if next == nil || next.name == "" {
		return nil, rejectf("%s depends on %s at %s, but the tree has no package there. Add it.", quote(from.file), quote(d.name), quote(path.Join(folder, manifestName)))
	}
	if next.name != d.name {
		return nil, rejectf("%s depends on %s at %s, but the package there is %s. Use its name as the key of the dependency.",
			quote(from.file), quote(d.name), quote(next.file), quote(next.name))
	}
	return next, nil
}

// workspaceOf returns the nearest manifest with a workspace, from the package
// upwards.
func (c *Check) workspaceOf(m *manifest) *manifest {
	for folder := m.folder; ; folder = path.Dir(folder) {
		if found := c.manifests[folder]; found != nil && found.workspace != nil {
			return found
		}
		if folder == "." {
			return nil
		}
	}
}
