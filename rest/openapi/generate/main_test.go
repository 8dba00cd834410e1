package main

import (
	"encoding/json"
	"errors"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTheDocumentIsWhatTheTableSays builds the document anew and compares it
// whole with the committed one: neither can change without the other.
func TestTheDocumentIsWhatTheTableSays(t *testing.T) {
	t.Chdir("..")
	document, err := build()
	if err != nil {
		t.Fatal(err)
	}
	built, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	committed, err := os.ReadFile("openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	var want, got any
	if err := errors.Join(json.Unmarshal(built, &want), json.Unmarshal(committed, &got)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("openapi.json, run make generate (-want +got):\n%s", diff)
	}
}
