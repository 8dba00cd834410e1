package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"astrolabe/pg/pgtest"
)

// TestTheProgramServesItsSchemaAndItsDocuments asks a running program for its
// schema and for a document that it was started with.
func TestTheProgramServesItsSchemaAndItsDocuments(t *testing.T) {
	t.Parallel()
	data := filepath.Join(pgtest.Dir(t), "data")
	manifest := filepath.Join(t.TempDir(), "documents.json")
	if err := os.WriteFile(manifest, []byte(`{"v1":"query Chains { service { chains } }"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	p := start(t, nil, append([]string{"up", "--data", data, "--graphql-documents", manifest}, anyPort...)...)
	base := p.ready(t)
	file, err := os.ReadFile("../../schema.graphql")
	if err != nil {
		t.Fatal(err)
	}
	if schema := get(t, base+"/schema.graphql"); schema != string(file) {
		t.Errorf("the schema has %d bytes instead of %d", len(schema), len(file))
	}
	key := readDemo(t, data).Keys["read"]
	if answer := get(t, base+"/graphql?documentId=v1", "X-Service-Api-Key", key); !strings.Contains(answer, `"chains":["SN_MAIN","SN_SEPOLIA"]`) {
		t.Errorf("got %s", answer)
	}
	if code := p.stop(t); code != exitOK {
		t.Errorf("exit code %d:\n%s", code, p.text())
	}
}

func TestAManifestThatCannotBeReadEndsTheStart(t *testing.T) {
	t.Parallel()
	broken := filepath.Join(t.TempDir(), "broken.json")
	if err := os.WriteFile(broken, []byte(`{"v1":"{ nothing }"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{broken, filepath.Join(t.TempDir(), "absent.json")} {
		_, err := documentSettings{GraphqlDocuments: []string{file}}.documents()
		if err == nil || !strings.Contains(err.Error(), "--graphql-documents") || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: %v", file, err)
		}
	}
}
