package main

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"
)

// TestTheDocumentIsWhatTheTableSays builds the document anew and compares it
// whole with the committed one: neither can change without the other.
func TestTheDocumentIsWhatTheTableSays(t *testing.T) {
	t.Chdir("..")
	document, err := build()
	if err != nil {
		t.Fatal(err)
	}
	var built, committed bytes.Buffer
	if err := json.NewEncoder(&built).Encode(document); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile("openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	var again any
	if err := json.Unmarshal(content, &again); err != nil {
		t.Fatal(err)
	}
	if err := json.NewEncoder(&committed).Encode(again); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(built.Bytes(), committed.Bytes()) {
		t.Error("openapi.json is not what the table and the hand-written parts say: make generate")
	}
}
