package main

import (
	"fmt"
	"os"
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
		t.Errorf("docs/rpc.md does not say %q, want the limits of the pool", want)
	}
}
