package archive

import (
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// tree checks how the entries of one archive stand to each other. It remembers
// at most MaxEntries paths.
type tree struct {
	last  string
	kinds map[string]bool   // path → is a directory
	names map[string]string // folded path → path
}

func newTree() *tree {
	return &tree{kinds: map[string]bool{}, names: map[string]string{}}
}

// add checks the next entry. Its path has passed checkPath.
func (t *tree) add(h header) error {
	if len(t.kinds) == MaxEntries {
		return errEntries()
	}
	if h.size > MaxFile {
		return errFile(h)
	}
	if _, twice := t.kinds[h.path]; twice {
		return rejectf("The path %q occurs twice.", h.path)
	}
	if h.path < t.last {
		return rejectf("The entry %q stands after %q; entries must be sorted bytewise by path, without the slash at the end of directories.", h.path, t.last)
	}
	if parent := path.Dir(h.path); parent != "." {
		directory, known := t.kinds[parent]
		if !known {
			return rejectf("The directory %q has no entry before %q.", parent, h.path)
		}
		if !directory {
			return rejectf("The path %q is below %q, which is a file.", h.path, parent)
		}
	}
	folded := fold(h.path)
	if other, ambiguous := t.names[folded]; ambiguous {
		return rejectf("The paths %q and %q differ only in case or Unicode normalisation. Rename one.", other, h.path)
	}
	if !h.directory && archiveName(h.path) {
		return rejectf("The file %q is named like an archive; archives inside the archive are not allowed. Remove it.", h.path)
	}
	t.last, t.kinds[h.path], t.names[folded] = h.path, h.directory, h.path
	return nil
}

// fold returns the same text for all paths that a file system, a font or a
// reader may take for each other: compatibility caseless matching of the
// Unicode standard.
func fold(path string) string {
	return norm.NFKD.String(cases.Fold().String(norm.NFKD.String(cases.Fold().String(norm.NFD.String(path)))))
}

// invisible reports whether a character may be shown as nothing, so that names
// with and without it look the same. Some of these are printable for Go, because
// they are marks or letters.
func invisible(r rune) bool {
	return !unicode.IsPrint(r) || unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector, unicode.Cf)
}

// checkPath checks one path alone.
func checkPath(path string) error {
	switch {
	case path == "":
		return rejectf("An entry has an empty path.")
	case len(path) > MaxPath:
		return rejectf("The path %q has %d bytes; at most 255 are allowed.", path, len(path))
	case !utf8.ValidString(path):
		return rejectf("The path %q is not valid UTF-8.", path)
	case path[0] == '/':
		return rejectf("The path %q is absolute; paths must be relative to the root of the source tree.", path)
	case strings.Contains(path, `\`):
		return rejectf("The path %q contains a backslash; directories are separated by slashes.", path)
	case strings.ContainsFunc(path, invisible):
		return rejectf("The path %+q contains a control character or another invisible character. Rename it.", path)
	}
	names := strings.Split(path, "/")
	if len(names) > MaxDepth {
		return rejectf("The path %q is %d levels deep; at most 32 are allowed.", path, len(names))
	}
	for _, name := range names {
		if name == "" || name == "." || name == ".." {
			return rejectf("The path %q contains the name %q; names must not be empty, \".\" or \"..\".", path, name)
		}
	}
	if slices.Contains(excluded, names[0]) {
		return rejectf("The path %q is not allowed: leave %s out of the root. \"astrolabe verify pack\" does so.", path, names[0])
	}
	return nil
}
