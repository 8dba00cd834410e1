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

// TestSettingsThatDocumentsNameExist keeps documents from naming a flag or an
// environment variable that the program does not have. A test of the program
// holds docs/commands.md to its help.
func TestSettingsThatDocumentsNameExist(t *testing.T) {
	t.Parallel()
	reference := read(t, "docs/commands.md")
	reference += strings.ReplaceAll(reference, "--[no-]", "--no-") + strings.ReplaceAll(reference, "--[no-]", "--")
	documents, err := filepath.Glob("docs/*.md")
	if err != nil || len(documents) == 0 {
		t.Fatalf("got no documents and %v, want some", err)
	}
	for _, path := range append(documents, "README.md", "SECURITY.md") {
		text := read(t, path)
		for _, flag := range regexp.MustCompile("`(--[a-z][a-z-]+)").FindAllStringSubmatch(text, -1) {
			if !foreignFlags[flag[1]] && !regexp.MustCompile(regexp.QuoteMeta(flag[1])+`\b[^-]`).MatchString(reference) {
				t.Errorf("%s names %s, want a flag that docs/commands.md describes", path, flag[1])
			}
		}
		for _, name := range regexp.MustCompile(`\bASTROLABE_[A-Z_]*[A-Z]\b`).FindAllString(text, -1) {
			if !strings.Contains(reference, name) && !withoutFlag[name] {
				t.Errorf("%s names %s, want an environment variable that docs/commands.md describes", path, name)
			}
		}
	}
}

// withoutFlag are the environment variables that are not settings of a command:
// those of tests and scripts.
var withoutFlag = map[string]bool{
	"ASTROLABE_REQUIRE_BROWSER": true, "ASTROLABE_REQUIRE_SANDBOX": true, "ASTROLABE_REQUIRE_CAIRO": true, "ASTROLABE_ALL_CLASSES": true,
	"ASTROLABE_SOAK": true, "ASTROLABE_CHAOS": true, "ASTROLABE_SIM_CASM": true,
}

// foreignFlags are flags of other programs: those of container engines.
var foreignFlags = map[string]bool{"--cap-add": true, "--privileged": true, "--security-opt": true}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path) //nolint:gosec // a file of the repository
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestResponsesNameEachErrorCodeOnce reads the error codes in the descriptions of
// the OpenAPI document's responses.
func TestResponsesNameEachErrorCodeOnce(t *testing.T) {
	t.Parallel()
	listed := regexp.MustCompile(`(?m)^ +description: ([a-z_]+(?:, [a-z_]+)+)$`).FindAllStringSubmatch(read(t, "rest/openapi/openapi.yaml"), -1)
	if len(listed) == 0 {
		t.Fatal("got no response with several codes, want some")
	}
	for _, codes := range listed {
		seen := map[string]bool{}
		for _, code := range strings.Split(codes[1], ", ") {
			if seen[code] {
				t.Errorf("got %s twice in %q, want each code once", code, codes[1])
			}
			seen[code] = true
		}
	}
}
