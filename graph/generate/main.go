package main

import (
	"context"
	"log"
	"os"
	"os/exec"
)

const generated = "generated.go"

func main() {
	log.SetFlags(0)
	gqlgen := exec.CommandContext(context.Background(), "go", "tool", "gqlgen", "generate")
	gqlgen.Stdout, gqlgen.Stderr = os.Stdout, os.Stderr
	if err := gqlgen.Run(); err != nil {
		log.Fatal(err)
	}
	code, err := os.ReadFile(generated)
	if err != nil {
		log.Fatal(err)
	}
	if code, err = lighten(code); err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(generated, code, 0o644); err != nil { //nolint:gosec // source code
		log.Fatal(err)
	}
}
