package flatten

import (
	"io/fs"
	"maps"
	"path"
	"slices"

	"github.com/pelletier/go-toml/v2"
)

// The versions that the compiler stands for.
const (
	cairoVersion = "2.8.2"
	edition      = "2023_01"
)

// rootManifest is the manifest of the workspace, or of the only package.
const rootManifest = "Scarb.toml"

// table is a table of a manifest. Its keys are compared exactly, as Scarb does.
type table map[string]any

// table returns a table in it, empty if there is none.
func (t table) table(key string) table {
	inner, _ := t[key].(map[string]any)
	return inner
}

// keys returns its keys in order.
func (t table) keys() []string { return slices.Sorted(maps.Keys(t)) }

// readManifest reads a Scarb.toml.
func readManifest(tree fs.FS, name string) (table, error) {
	content, err := fs.ReadFile(tree, name)
	if err != nil {
		return nil, failed("The file %s is missing.", quote(name))
	}
	var root map[string]any
	if err := toml.Unmarshal(content, &root); err != nil {
		return nil, failed("%s is not valid TOML: %s.", quote(name), quote(err.Error()))
	}
	return root, checkShapes(name, root)
}

// manifest is the manifest of a package and what it inherits.
type manifest struct {
	file      string
	root      table
	workspace table // [workspace] of the manifest at the root of the tree
}

// checkManifests checks that the settings of a package are those that the
// compiler has.
func checkManifests(tree fs.FS, p Package) error {
	root, err := readManifest(tree, p.Manifest)
	if err != nil {
		return err
	}
	m := manifest{p.Manifest, root, root.table("workspace")}
	if path.Clean(p.Manifest) != rootManifest {
		// As in Scarb, the manifest of the workspace decides about profiles.
		workspace, err := readManifest(tree, rootManifest)
		if err != nil {
			return err
		}
		m.workspace = workspace.table("workspace")
		if err := checkCompiler(rootManifest, workspace); err != nil {
			return err
		}
	}
	if err := m.checkPackage(p.Name); err != nil {
		return err
	}
	if err := m.checkDependencies(); err != nil {
		return err
	}
	if err := m.checkTargets(p.Target); err != nil {
		return err
	}
	return checkCompiler(p.Manifest, root)
}

// field returns a text of [package], which the package may inherit; "" if it is
// not set.
func (m manifest) field(key string) (string, error) {
	fields := m.root.table("package")
	if inherited(fields[key]) {
		fields = m.workspace.table("package")
		if _, set := fields[key]; !set {
			return "", failed("%s: the package inherits %s, which [workspace.package] does not set.", quote(m.file), key)
		}
	}
	value, _ := fields[key].(string)
	return value, nil
}

func (m manifest) checkPackage(name string) error {
	fields := m.root.table("package")
	if got, _ := fields["name"].(string); got != name {
		return failed("%s: the package is named %s, expected %s.", quote(m.file), quote(got), quote(name))
	}
	got, err := m.field("edition")
	if err != nil {
		return err
	}
	if got != "" && got != edition {
		return unsupported("%s: the package has the edition %s, but the compiler has %s only.", quote(m.file), quote(got), edition)
	}
	requirement, err := m.field("cairo-version")
	if err != nil {
		return err
	}
	if requirement != "" && !met(requirement) {
		return unsupported("%s: the package needs Cairo %s, but the compiler is %s.", quote(m.file), quote(requirement), cairoVersion)
	}
	if without, _ := fields["no-core"].(bool); without {
		return unsupported("%s: no-core is not supported.", quote(m.file))
	}
	if experimental, _ := fields["experimental-features"].([]any); len(experimental) > 0 {
		return unsupported("%s: experimental-features are not supported. Remove them.", quote(m.file))
	}
	if len(m.root.table("features")) > 0 {
		return unsupported("%s: [features] are not supported, because they decide which code is compiled. Remove the section.", quote(m.file))
	}
	return nil
}

// checkDependencies allows starknet alone: the compiler cannot read a second
// package. What only tests use is not part of a contract.
func (m manifest) checkDependencies() error {
	dependencies := m.root.table("dependencies")
	for _, name := range dependencies.keys() {
		value := dependencies[name]
		if inherited(value) {
			value = m.workspace.table("dependencies")[name]
		}
		if name != "starknet" {
			return unsupported("%s: the package depends on %s, but the compiler supports no dependency except starknet. Move its modules into the package if the class was built that way.",
				quote(m.file), quote(name))
		}
		requirement, simple := value.(string)
		if detailed, ok := value.(map[string]any); ok {
			requirement, simple = detailed["version"].(string)
			simple = simple && len(detailed) == 1
		}
		if !simple || !met(requirement) {
			return unsupported("%s: the package requires a starknet other than version %s, the only one that the compiler has.", quote(m.file), cairoVersion)
		}
	}
	if _, has := dependencies["starknet"]; !has {
		return failed("%s: the package does not depend on starknet, so Scarb builds no contract. Add starknet = %q to [dependencies].", quote(m.file), cairoVersion)
	}
	return nil
}
