package flatten

import "strings"

// shape is what a value of a manifest must be. Scarb builds no package whose
// manifest has another.
type shape struct {
	name string
	fits func(value any) bool
}

var (
	isTable = shape{"a table", func(v any) bool { _, ok := v.(map[string]any); return ok }}
	isText  = shape{"a text", func(v any) bool { _, ok := v.(string); return ok }}
	isFlag  = shape{"true or false", func(v any) bool { _, ok := v.(bool); return ok }}
	isTexts = shape{"a list of texts", listOf(isText)}
	// isTables is an array of tables.
	isTables = shape{"an array of tables, [[…]]", listOf(isTable)}
	// isField is a field of [package], which may be inherited.
	isField = shape{"a text or workspace = true", func(v any) bool { return isText.fits(v) || inherited(v) }}
)

func listOf(element shape) func(any) bool {
	return func(v any) bool {
		list, ok := v.([]any)
		for _, e := range list {
			ok = ok && element.fits(e)
		}
		return ok
	}
}

// inherited reports whether a value is { workspace = true } and nothing else.
func inherited(value any) bool {
	fields, _ := value.(map[string]any)
	return len(fields) == 1 && fields["workspace"] == true
}

// shapes are the values of a manifest that decide about the class. A table
// stands before what is in it.
var shapes = []struct {
	path string
	want shape
}{
	{"package", isTable},
	{"package.name", isText},
	{"package.edition", isField},
	{"package.cairo-version", isField},
	{"package.no-core", isFlag},
	{"package.experimental-features", isTexts},
	{"workspace", isTable},
	{"workspace.package", isTable},
	{"workspace.package.edition", isText},
	{"workspace.package.cairo-version", isText},
	{"workspace.dependencies", isTable},
	{"dependencies", isTable},
	{"features", isTable},
	{"lib", isTable},
	{"target", isTable},
	{"target.starknet-contract", isTables},
	{"cairo", isTable},
	{"profile", isTable},
	{"profile.release", isTable},
	{"profile.release.cairo", isTable},
}

// targetShapes are the settings of a target of kind starknet-contract.
var targetShapes = map[string]shape{
	"name": isText, "source-path": isText, "sierra": isFlag, "casm": isFlag, "casm-add-pythonic-hints": isFlag,
	"allowed-libfuncs": isFlag, "allowed-libfuncs-deny": isFlag, "allowed-libfuncs-list": isTable, "build-external-contracts": isTexts,
}

// checkShapes refuses a manifest with a value of a wrong type, which would
// otherwise count as not set.
func checkShapes(file string, root table) error {
	for _, s := range shapes {
		parent, key := root, s.path
		for {
			first, rest, nested := strings.Cut(key, ".")
			if !nested {
				break
			}
			parent, key = parent.table(first), rest
		}
		if value, set := parent[key]; set && !s.want.fits(value) {
			return failed("%s: %s must be %s.", quote(file), s.path, s.want.name)
		}
	}
	return nil
}
