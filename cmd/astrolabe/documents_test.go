package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// someDocuments writes the manifest with the document that
// servesItsSchemaAndItsDocuments requests.
func someDocuments(t *testing.T) string {
	t.Helper()
	manifest := filepath.Join(t.TempDir(), "documents.json")
	if err := os.WriteFile(manifest, []byte(`{"v1":"query Chains { service { chains } }"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	return manifest
}

func (s *simulated) servesItsSchemaAndItsDocuments(t *testing.T) {
	file, err := os.ReadFile("../../schema.graphql")
	if err != nil {
		t.Fatal(err)
	}
	if schema := get(t, s.base+"/schema.graphql"); schema != string(file) {
		t.Errorf("got a schema of %d bytes, want %d", len(schema), len(file))
	}
	if answer := get(t, s.base+"/graphql?documentId=v1", keyHeader, s.demo.Keys["read"]); !strings.Contains(answer, `"chains":["SN_MAIN","SN_SEPOLIA"]`) {
		t.Errorf("got %s, want both chains", answer)
	}
}

func TestUnreadableManifestAbortsStartup(t *testing.T) {
	t.Parallel()
	broken := filepath.Join(t.TempDir(), "broken.json")
	if err := os.WriteFile(broken, []byte(`{"v1":"{ nothing }"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{broken, filepath.Join(t.TempDir(), "absent.json")} {
		_, err := documentSettings{GraphqlDocuments: []string{file}}.documents()
		if err == nil || !strings.Contains(err.Error(), "--graphql-documents") || !strings.Contains(err.Error(), file) {
			t.Errorf("got %v, want an error that names --graphql-documents and %s", err, file)
		}
	}
}
