package source

import (
	"net/url"
	"slices"
	"strings"
)

// defaultRegistry is where a dependency without another source comes from, and
// defaultRegistryAlias its name in [patch].
const (
	defaultRegistry      = "https://scarbs.xyz"
	defaultRegistryAlias = "scarbs-xyz"
)

// patch replaces a package of one source.
type patch struct {
	source string // as of canonical
	dependency
}

// replaced is what a patch replaces.
type replaced struct{ source, name string }

// readPatches reads [patch], whose tables are named after sources.
func readPatches(t table) []patch {
	var all []patch
	for _, name := range t.names() {
		source := canonical(name)
		if name == defaultRegistryAlias {
			source = defaultRegistry
		}
		for _, d := range dependencies(t, name, false) {
			all = append(all, patch{source, d})
		}
	}
	return all
}

// patched returns the patches of a manifest. Every package depends on some
// built-in ones without saying so: a patch must not replace them.
func (m *manifest) patched() (map[replaced]dependency, error) {
	patches := map[replaced]dependency{}
	for _, p := range m.patches {
		if slices.Contains(builtin, p.name) && !p.provided() {
			return nil, errBuiltin(m, p.dependency)
		}
		if p.source != "" {
			patches[replaced{p.source, p.name}] = p.dependency
		}
	}
	return patches, nil
}

// canonical returns the same text for all spellings of a URL that Scarb takes
// for one source, and "" for what is no URL.
func canonical(source string) string {
	u, err := url.Parse(source)
	if err != nil || u.Scheme == "" || u.Host == "" {
		return ""
	}
	u.Host = strings.ToLower(u.Host)
	text := strings.TrimSuffix(u.Path, "/")
	if u.Host == "github.com" {
		u.Scheme, text = "https", strings.ToLower(text)
	}
	u.Path, u.RawPath = strings.TrimSuffix(text, ".git"), ""
	return u.String()
}
