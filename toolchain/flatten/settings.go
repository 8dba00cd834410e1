package flatten

import "slices"

// checkTargets checks that the package has the target, and that building it
// gives the contracts of this package alone.
func (m manifest) checkTargets(name string) error {
	targets := m.root.table("target")
	for _, kind := range targets.keys() {
		if !slices.Contains([]string{"lib", "starknet-contract", "test"}, kind) {
			return unsupported("%s: targets of kind %s are not supported.", quote(m.file), quote(kind))
		}
	}
	if source, set := m.root.table("lib")["source-path"]; set && source != rootFile {
		return failed("%s: the source-path of [lib] must be %s.", quote(m.file), rootFile)
	}
	list, _ := targets["starknet-contract"].([]any)
	found := false
	for _, value := range list {
		keys, _ := value.(map[string]any)
		target := table(keys)
		for _, key := range target.keys() {
			want, known := targetShapes[key]
			if !known {
				return unsupported("%s: the setting %s of a target is not known. Remove it.", quote(m.file), quote(key))
			}
			if !want.fits(target[key]) {
				return failed("%s: %s of a target must be %s.", quote(m.file), key, want.name)
			}
		}
		if source, set := target["source-path"]; set && source != rootFile {
			return failed("%s: the source-path of a target must be %s.", quote(m.file), rootFile)
		}
		got, named := target["name"].(string)
		if !named {
			got, _ = m.root.table("package")["name"].(string)
		}
		if got != name {
			continue
		}
		found = true
		if sierra, set := target["sierra"].(bool); set && !sierra {
			return failed("%s: the target %s has sierra = false, so Scarb writes no class.", quote(m.file), quote(name))
		}
		if external, _ := target["build-external-contracts"].([]any); len(external) > 0 {
			return unsupported("%s: build-external-contracts is not supported, because the compiler builds one package only.", quote(m.file))
		}
	}
	if !found {
		return failed("%s: the package has no target %s of kind starknet-contract.", quote(m.file), quote(name))
	}
	return nil
}

// harmless are the settings of [cairo] that change what is written about a
// class, but not the class.
var harmless = []string{
	"sierra-replace-ids", "unstable-add-statements-code-locations-debug-info", "unstable-add-statements-functions-debug-info",
}

// usual are the settings of [cairo] that must have the value that the compiler
// has.
var usual = table{"allow-warnings": true, "enable-gas": true, "inlining-strategy": "default"}

// checkCompiler checks the settings of the compiler in a manifest: [cairo] and
// those of the profile release, which may not inherit another's.
func checkCompiler(file string, root table) error {
	profile := root.table("profile").table("release")
	for _, key := range profile.keys() {
		if key != "cairo" && key != "tool" {
			return unsupported("%s: the setting %s of [profile.release] changes what is compiled, or is not known. Remove it.", quote(file), quote(key))
		}
	}
	sections := map[string]table{"cairo": root.table("cairo"), "profile.release.cairo": profile.table("cairo")}
	for _, section := range []string{"cairo", "profile.release.cairo"} {
		settings := sections[section]
		for _, key := range settings.keys() {
			if slices.Contains(harmless, key) {
				continue
			}
			if want, known := usual[key]; !known || settings[key] != want {
				return unsupported("%s: the setting %s of [%s] changes what is compiled, or is not known. Remove it.", quote(file), quote(key), section)
			}
		}
	}
	return nil
}
