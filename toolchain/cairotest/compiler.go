package cairotest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"astrolabe/toolchain"
)

// requireCairo is the environment variable that forbids skipping.
const requireCairo = "ASTROLABE_REQUIRE_CAIRO"

// modules is where npm puts the compiler, from the repository's root.
const modules = "toolchain/npm/node_modules"

// Open opens a compiler that is closed at the end of the test.
func Open(tb testing.TB, options toolchain.Options) toolchain.Compiler {
	tb.Helper()
	compiler, err := toolchain.Open(tb.Context(), options)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := compiler.Close(context.Background()); err != nil {
			tb.Errorf("closing the Cairo compiler: %v", err)
		}
	})
	return compiler
}

// Optional returns the options of the compiler, or skips the test if it was not
// fetched.
func Optional(tb testing.TB) toolchain.Options {
	tb.Helper()
	options, err := find(tb)
	if err != nil && os.Getenv(requireCairo) != "1" {
		tb.Skip(err)
	} else if err != nil {
		tb.Fatal(err)
	}
	return options
}

// Required returns the options of the compiler, or fails the test if it was not
// fetched.
func Required(tb testing.TB) toolchain.Options {
	tb.Helper()
	options, err := find(tb)
	if err != nil {
		tb.Fatal(err)
	}
	return options
}

// find searches for the compiler, and returns its options with its machine code.
func find(tb testing.TB) (toolchain.Options, error) {
	tb.Helper()
	file := filepath.Join(repository(tb), modules, "wasm-cairo")
	if _, err := os.Stat(file); err != nil {
		return toolchain.Options{}, fmt.Errorf("this test needs a Cairo compiler, which scripts/cairo fetches: %w", err)
	}
	cache, err := warm(toolchain.Options{Wasm: file})
	return toolchain.Options{Wasm: file, CacheDir: cache.Dir}, err
}

// repository returns the folder of go.mod, seen from a test's working directory.
func repository(tb testing.TB) string {
	tb.Helper()
	dir, err := os.Getwd()
	if err != nil {
		tb.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			tb.Fatal("no go.mod above the test")
		}
		dir = parent
	}
}
