package graph

import (
	"astrolabe/graph/limits"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestEveryPolicyRuleHasATest reads the table of docs/graphql.md.
func TestEveryPolicyRuleHasATest(t *testing.T) {
	t.Parallel()
	text := documentation(t)
	policy, _, _ := strings.Cut(text[strings.Index(text, "## Policy"):], "## Limits")
	tests := testNames(t)
	rules := regexp.MustCompile("(?m)^\\| (.+) \\| `(Test\\w+)` \\|$").FindAllStringSubmatch(policy, -1)
	if rows := strings.Count(policy, "\n| "); len(rules) != rows-1 {
		t.Errorf("got %d rows that name a test, want %d", len(rules), rows-1)
	}
	for _, rule := range rules {
		if !tests[rule[2]] {
			t.Errorf("%q: got the test %s, want one that exists", rule[1], rule[2])
		}
	}
}

// TestDocumentedLimitsAreTheDefaults compares the table of docs/graphql.md
// with the limits that an unconfigured handler reports.
func TestDocumentedLimitsAreTheDefaults(t *testing.T) {
	t.Parallel()
	text := documentation(t)
	for _, limit := range (limits.Limits{}).WithDefaults().List() {
		row := "| `" + limit.Name + "` | " + strconv.Itoa(limit.Max) + " |"
		if !strings.Contains(text, row) {
			t.Errorf("docs/graphql.md: got no row %s, want it", row)
		}
	}
}

func documentation(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../docs/graphql.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// testNames lists the tests of this package.
func testNames(t *testing.T) map[string]bool {
	t.Helper()
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, declaration := range parsed.Decls {
			if function, ok := declaration.(*ast.FuncDecl); ok {
				names[function.Name.Name] = true
			}
		}
	}
	return names
}
