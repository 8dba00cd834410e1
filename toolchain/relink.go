package toolchain

import "strings"

// crateName is what the WebAssembly compiler calls every package.
const crateName = "astro"

// relink gives the package its real name wherever text, a type's name or an ABI, speaks of it:
// where the crate's name begins a path. A module, type or member of the same name inside a
// path is left alone.
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

// continuesPath tells whether a character can stand before a path's element and belong to it.
func continuesPath(c byte) bool {
	return c == ':' || c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
