package source

import (
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"

	"astrolabe/domain/verify/archive"
)

const (
	manifestName = "Scarb.toml"
	lockName     = "Scarb.lock"

	// Limits in bytes, because these files are parsed in memory. Real manifests
	// have a few kilobytes, and a lock file has about 100 bytes for a package.
	maxManifest  = 128 << 10
	maxManifests = 2 << 20 // together
	maxLock      = 512 << 10
	// maxMembers bounds the patterns of workspace.members.
	maxMembers = 256
)

// Check checks one tree. Add takes its files, Done decides.
type Check struct {
	manifests map[string]*manifest // by folder
	size      int64                // of all manifests
	lock      []byte               // nil without one
	reached   []*manifest
	members   []*manifest
}

// NewCheck returns a check of an empty tree.
func NewCheck() *Check { return &Check{manifests: map[string]*manifest{}} }

// Add takes the next file. It reads manifests and the lock file at the root, and
// no others. A manifest that breaks a rule is an *Error; an error of the content
// is returned as it is.
func (c *Check) Add(f archive.File) error {
	manifest := path.Base(f.Path) == manifestName
	if f.Dir || !manifest && f.Path != lockName {
		return nil
	}
	limit := int64(maxLock)
	if manifest {
		limit = maxManifest
	}
	if f.Size > limit {
		return rejectf("%s has %d bytes; at most %d KiB are allowed.", quote(f.Path), f.Size, limit>>10)
	}
	content, err := io.ReadAll(f.Content)
	if err != nil {
		return fmt.Errorf("read %s: %w", quote(f.Path), err)
	}
	if !manifest {
		c.lock = content
		return nil
	}
	if c.size += f.Size; c.size > maxManifests {
		return rejectf("The manifests of the tree have more than 2 MiB together. Remove packages that the build does not need.")
	}
	parsed, err := parse(f.Path, content)
	if err != nil {
		return err
	}
	c.manifests[parsed.folder] = parsed
	return nil
}

// Done decides about the whole tree, after the archive was accepted. The package
// that implements the contract and the target that holds it are checked if they
// are named. A broken rule is an *Error.
func (c *Check) Done(pkg, target string) error {
	if c.manifests["."] == nil {
		return rejectf("The tree has no Scarb.toml at its root. Pack the folder that holds it.")
	}
	if c.lock == nil {
		return errorf(LockfileMissing, "The tree has no Scarb.lock at its root. Create it with \"scarb fetch\", and pack it.")
	}
	packages, err := parseLock(c.lock)
	if err != nil {
		return err
	}
	if c.members, c.reached, err = c.reach(); err != nil {
		return err
	}
	if err := c.checkLock(packages); err != nil {
		return err
	}
	if pkg != "" && !slices.ContainsFunc(c.reached, func(m *manifest) bool { return m.name == pkg }) {
		return rejectf("The tree has no package %s. Its packages are: %s.", quote(pkg), list(c.reached, func(m *manifest) []string { return []string{m.name} }))
	}
	if target != "" && !slices.ContainsFunc(c.members, func(m *manifest) bool { return slices.Contains(m.targets, target) }) {
		return rejectf("No package of the workspace has a target %s of kind starknet-contract. Such targets are: %s. Add [[target.starknet-contract]].",
			quote(target), list(c.members, func(m *manifest) []string { return m.targets }))
	}
	return nil
}

// Package is a package that the build uses.
type Package struct {
	// Manifest is the path of its Scarb.toml.
	Manifest string
	// Name and Version are those of the manifest or its workspace.
	Name, Version string
	// Edition and CairoVersion are what the package asks of the compiler, or "".
	Edition, CairoVersion string
	// Targets are the names of its targets of kind starknet-contract.
	Targets []string
}

// Packages returns the packages that the build uses, sorted by manifest, after
// Done accepted the tree.
func (c *Check) Packages() []Package {
	all := make([]Package, len(c.reached))
	for i, m := range c.reached {
		from := c.workspaceOf(m)
		all[i] = Package{m.file, m.name, m.field("version", from), m.field("edition", from), m.field("cairo-version", from), m.targets}
	}
	return all
}

// all returns every manifest of the tree, sorted by folder.
func (c *Check) all() []*manifest {
	all := make([]*manifest, 0, len(c.manifests))
	for _, folder := range sortedKeys(c.manifests) {
		all = append(all, c.manifests[folder])
	}
	return all
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// list joins quoted names for a message, at most ten.
func list(all []*manifest, names func(*manifest) []string) string {
	var quoted []string
	for _, m := range all {
		for _, name := range names(m) {
			quoted = append(quoted, quote(name))
		}
	}
	switch {
	case len(quoted) == 0:
		return "none"
	case len(quoted) > 10:
		quoted = append(quoted[:10], "…")
	}
	return strings.Join(quoted, ", ")
}
