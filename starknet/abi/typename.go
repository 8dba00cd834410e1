package abi

import "strings"

// splitGeneric separates "base::<a, b>" into its base and arguments. It returns
// false for a name that is not generic or whose brackets are not balanced.
func splitGeneric(name string) (base string, args []string, ok bool) {
	open := strings.IndexByte(name, '<')
	if open <= 0 || name[len(name)-1] != '>' {
		return "", nil, false
	}
	args, ok = splitList(name[open+1 : len(name)-1])
	return strings.TrimSuffix(name[:open], "::"), args, ok
}

// splitList splits at the commas outside of brackets. It returns false for an
// empty or unbalanced list, or for an empty element other than after a trailing
// comma.
func splitList(list string) ([]string, bool) {
	var parts []string
	depth, start := 0, 0
	for i := range len(list) {
		switch list[i] {
		case '<', '(', '[':
			depth++
		case '>', ')', ']':
			if depth--; depth < 0 {
				return nil, false
			}
		case ',':
			if depth == 0 {
				parts = append(parts, strings.TrimSpace(list[start:i]))
				start = i + 1
			}
		}
	}
	if last := strings.TrimSpace(list[start:]); last != "" {
		parts = append(parts, last)
	}
	for _, part := range parts {
		if part == "" {
			return nil, false
		}
	}
	return parts, depth == 0 && len(parts) > 0
}

// splitLabel separates "name: type", as Cairo 0 writes the elements of a named tuple. The
// label is empty where there is none.
func splitLabel(element string) (label, typeName string) {
	i := strings.IndexByte(element, ':')
	if i <= 0 || i+1 >= len(element) || element[i+1] == ':' || strings.ContainsAny(element[:i], "<([@") {
		return "", element
	}
	return strings.TrimSpace(element[:i]), strings.TrimSpace(element[i+1:])
}
