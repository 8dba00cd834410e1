// Command controller decides once on all jobs that are comparing, with the demo
// key of a fixed seed. Tests kill it at its failpoints.
package main

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"fmt"
	"os"
	"strings"
	"time"

	"astrolabe/domain/verify"
	"astrolabe/domain/verify/receipt"
	"astrolabe/domain/verify/signing"
	"astrolabe/repo"
	store "astrolabe/repo/verify"
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	db, err := repo.Open(ctx, repo.Options{URL: os.Args[1]})
	if err != nil {
		return err
	}
	defer db.Close()
	key := signing.New(ed25519.NewKeyFromSeed(bytes.Repeat([]byte{1}, ed25519.SeedSize)))
	toolchain := verify.Toolchain{Name: "cairo-wasm", Version: "2.8.2", Digest: "sha256:" + strings.Repeat("5a", 32)}
	controller := verify.NewController(store.NewAdmissions(db), key, receipt.Demo, toolchain, time.Now)
	if err := controller.Check(ctx); err != nil {
		return err
	}
	_, err = controller.Pass(ctx)
	return err
}
