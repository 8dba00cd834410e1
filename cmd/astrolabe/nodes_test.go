package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestDocumentedLoadIsThatOfThePool(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/rpc.md")
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("get %d calls at once, and %d more wait", requestCalls, 4*requestCalls)
	if !strings.Contains(string(text), want) {
		t.Errorf("docs/rpc.md: got no %q, want the limits of the pool", want)
	}
}

func TestNodeSettingsAreJudgedWithoutTheirSecrets(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "headers")
	if err := os.WriteFile(file, []byte("# of the provider\n\nnode.example=X-Api-Key: secret\nX-All: a\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	node := []secretText{"https://node.example/rpc"}
	for name, c := range map[string]struct {
		settings nodeSettings
		wrong    string // empty if they are right
	}{
		"nothing":          {nodeSettings{}, ""},
		"a file":           {nodeSettings{NodeMain: node, NodeHeaderFile: file}, ""},
		"several lines":    {nodeSettings{NodeMain: node, NodeHeader: []secretText{"A: b\nC: d, e"}}, ""},
		"a rate":           {nodeSettings{NodeMain: node, NodeRPS: 0.5}, ""},
		"no file":          {nodeSettings{NodeHeaderFile: file + "x"}, "--node-header-file"},
		"a malformed one":  {nodeSettings{NodeHeader: []secretText{"secret"}}, "'Name: value'"},
		"a reserved one":   {nodeSettings{NodeHeader: []secretText{"Host: secret"}}, "Host"},
		"an unknown host":  {nodeSettings{NodeMain: node, NodeHeader: []secretText{"other.example=A: secret"}}, "other.example"},
		"a negative rate":  {nodeSettings{NodeRPS: -1}, "--node-rps"},
		"the same node":    {nodeSettings{NodeMain: append(node, node...)}, "twice"},
		"a URL of no node": {nodeSettings{NodeSepolia: []secretText{"ftp://node.example/secret"}}, "node.example"},
	} {
		err := c.settings.checkNodes()
		switch {
		case c.wrong == "" && err != nil:
			t.Errorf("%s: got %v, want no error", name, err)
		case c.wrong != "" && (err == nil || !strings.Contains(err.Error(), c.wrong) || strings.Contains(err.Error(), "secret")):
			t.Errorf("%s: got %v, want an error with %q and without the secret", name, err, c.wrong)
		}
	}
}
