// Command generate runs gqlgen and then lets the generated code marshal lists
// in order: see graph/inorder.go.
package main

import (
	"bytes"
	"log"
	"os"
	"os/exec"
)

const generated = "generated.go"

func main() {
	log.SetFlags(0)
	gqlgen := exec.Command("go", "tool", "gqlgen", "generate")
	gqlgen.Stdout, gqlgen.Stderr = os.Stdout, os.Stderr
	if err := gqlgen.Run(); err != nil {
		log.Fatal(err)
	}
	code, err := os.ReadFile(generated)
	if err != nil {
		log.Fatal(err)
	}
	library, ours := []byte("graphql.MarshalSliceConcurrently("), []byte("inOrder(")
	if !bytes.Contains(code, library) {
		log.Fatalf("%s marshals no list: has the library changed?", generated)
	}
	if err := os.WriteFile(generated, bytes.ReplaceAll(code, library, ours), 0o644); err != nil { //nolint:gosec // source code
		log.Fatal(err)
	}
}
