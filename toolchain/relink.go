package toolchain

import "strings"

// crateName is the name that the WebAssembly compiler gives every package.
const crateName = "astro"

// relink replaces the crate name with the package name where it starts a path,
// in the names of types and in ABIs. Modules, types and members of the same
// name inside a path are unchanged.
func relink(text, packageName string) string {
	const root = crateName + "::"
	var out strings.Builder
	for {
		at := strings.Index(text, root)
		if at < 0 {
			out.WriteString(text)
			return out.String()
		}
		out.WriteString(text[:at])
		if at > 0 && continuesPath(text[at-1]) || at == 0 && out.Len() > 0 {
			out.WriteString(root)
		} else {
			out.WriteString(packageName + "::")
		}
		text = text[at+len(root):]
	}
}

// continuesPath reports whether a character before an element belongs to its
// path.
func continuesPath(c byte) bool {
	return c == ':' || c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
