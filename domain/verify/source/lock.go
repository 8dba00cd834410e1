package source

import "slices"

// lockVersion is the only format of Scarb.lock that exists.
const lockVersion = 1

// locked is an entry of Scarb.lock.
type locked struct{ name, version, source string }

// parseLock reads Scarb.lock. Its entries must all be packages of the tree:
// those have no source.
func parseLock(content []byte) (map[string]locked, error) {
	root, err := decode("Scarb.lock", content)
	if err != nil {
		return nil, err
	}
	version, ok := root.keys["version"].(int64)
	if !ok {
		return nil, rejectf("\"Scarb.lock\" has no version. Create it again with \"scarb fetch\".")
	}
	if version != lockVersion {
		return nil, errorf(UnsupportedToolchain, "\"Scarb.lock\" has version %d; the toolchain reads version %d.", version, lockVersion)
	}
	packages := map[string]locked{}
	for _, t := range root.tables("package") {
		entry := locked{t.text("name"), t.text("version"), t.text("source")}
		if entry.name == "" || entry.version == "" {
			return nil, rejectf("\"Scarb.lock\" has a package without a name or a version. Create it again with \"scarb fetch\".")
		}
		if _, twice := packages[entry.name]; twice {
			return nil, rejectf("\"Scarb.lock\" lists the package %s twice. Create it again with \"scarb fetch\".", quote(entry.name))
		}
		packages[entry.name] = entry
	}
	return packages, root.document.err
}

// checkLock checks that the lock file describes exactly the packages of the
// tree.
func (c *Check) checkLock(packages map[string]locked) error {
	defined := map[string]bool{}
	for _, m := range c.manifests {
		defined[m.name] = true
	}
	for _, name := range sortedKeys(packages) {
		entry := packages[name]
		standard := entry.source == "std" && slices.Contains(builtin, name) // written by early releases of Scarb
		if entry.source != "" && !standard {
			return errorf(IncompleteOfflineMaterial, "\"Scarb.lock\" takes the package %s from %s, but builds have no network. "+
				"Copy the package into the tree and depend on it by path, or remove it if only tests need it; then create the lock file again with \"scarb fetch\".",
				quote(name), quote(entry.source))
		}
		if !standard && !defined[name] {
			return errorf(IncompleteOfflineMaterial, "\"Scarb.lock\" lists the package %s, but no Scarb.toml of the tree defines it. "+
				"Add the package, or create the lock file again with \"scarb fetch\".", quote(name))
		}
	}
	for _, m := range c.reached {
		entry, listed := packages[m.name]
		if !listed {
			return rejectf("\"Scarb.lock\" is not current: it does not list the package %s of %s. Create it again with \"scarb fetch\".", quote(m.name), quote(m.file))
		}
		if version := m.field("version", c.workspaceOf(m)); version != "" && version != entry.version {
			return rejectf("\"Scarb.lock\" is not current: it lists %s %s, but %s says %s. Create it again with \"scarb fetch\".",
				quote(m.name), quote(entry.version), quote(m.file), quote(version))
		}
	}
	return nil
}
