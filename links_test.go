package astrolabe_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestLinksOfDocumentsResolve checks that each relative link of a document leads
// to a file, and its fragment to a heading.
func TestLinksOfDocumentsResolve(t *testing.T) {
	t.Parallel()
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	var documents []string
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/adr/*.md", "docs/bench/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		documents = append(documents, found...)
	}
	for _, document := range documents {
		for _, match := range link.FindAllStringSubmatch(read(t, document), -1) {
			path, fragment, _ := strings.Cut(match[1], "#")
			if strings.Contains(path, ":") || strings.HasPrefix(path, "/") { // another site, or a route
				continue
			}
			target := document
			if path != "" {
				target = filepath.Join(filepath.Dir(document), path)
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s links %s, want a file there", document, match[1])
				continue
			}
			if fragment != "" && !anchors(read(t, target))[fragment] {
				t.Errorf("%s links %s, want a heading of that name", document, match[1])
			}
		}
	}
}

// anchors returns the names that GitHub gives the headings of a document.
func anchors(text string) map[string]bool {
	names := map[string]bool{}
	ignored := regexp.MustCompile(`[^\p{L}\p{N}\- _]`)
	for _, heading := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(text, -1) {
		names[strings.ReplaceAll(ignored.ReplaceAllString(strings.ToLower(heading[1]), ""), " ", "-")] = true
	}
	return names
}
