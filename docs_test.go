package astrolabe_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestTestsThatDocumentsNameExist keeps the tests that documents quote for a
// rule from being renamed or deleted alone.
func TestTestsThatDocumentsNameExist(t *testing.T) {
	t.Parallel()
	declared := map[string]bool{}
	function := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	walkGo(t, func(path string) {
		if !strings.HasSuffix(path, "_test.go") {
			return
		}
		for _, match := range function.FindAllStringSubmatch(read(t, path), -1) {
			declared[match[1]] = true
		}
	})
	documents, err := filepath.Glob("docs/*.md")
	if err != nil || len(documents) == 0 {
		t.Fatalf("got no documents and %v, want some", err)
	}
	for _, path := range append(documents, "README.md") {
		for _, name := range regexp.MustCompile("`Test[A-Z]\\w+`").FindAllString(read(t, path), -1) {
			if !declared[strings.Trim(name, "`")] {
				t.Errorf("%s names %s, want a test of that name", path, name)
			}
		}
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path) //nolint:gosec // a file of the repository
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
