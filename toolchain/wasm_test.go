package toolchain_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"astrolabe/toolchain"
	"astrolabe/toolchain/cairotest"
)

func TestCompilationEndsWithItsContext(t *testing.T) {
	t.Parallel()
	compiler := cairotest.Open(t, cairotest.Optional(t))
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	_, err := compiler.Compile(ctx, toolchain.Source{Package: "empty", Text: minimal})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a compilation that outlives its context: got %v, want %v", err, context.DeadlineExceeded)
	}
	for range 8 {
		_, err := compiler.Compile(ctx, toolchain.Source{Package: "empty", Text: minimal})
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a compilation that begins after its context's end: got %v, want %v", err, context.DeadlineExceeded)
		}
	}
}

func TestCompilationStaysWithinItsLimits(t *testing.T) {
	t.Parallel()
	tests := map[string]func(*toolchain.Options){
		"time":   func(o *toolchain.Options) { o.Timeout = 500 * time.Millisecond },
		"memory": func(o *toolchain.Options) { o.MemoryLimit = 32 << 20 },
	}
	for name, limit := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			options := cairotest.Optional(t)
			limit(&options)
			compiler := cairotest.Open(t, options)
			_, err := compiler.Compile(t.Context(), toolchain.Source{Package: "empty", Text: minimal})
			if !errors.Is(err, toolchain.ErrLimit) || !strings.Contains(err.Error(), name) {
				t.Errorf("a compilation without enough %s: got %v, want %v that names it", name, err, toolchain.ErrLimit)
			}
		})
	}
}

const minimal = "#[starknet::contract] mod empty { #[storage] struct Storage {} }"

func TestCompilerThatCannotStartIsRefused(t *testing.T) {
	t.Parallel()
	options := cairotest.Optional(t)
	options.MemoryLimit = 1 << 20
	if _, err := toolchain.Open(t.Context(), options); !errors.Is(err, toolchain.ErrLimit) {
		t.Errorf("one megabyte of memory: got %v, want %v", err, toolchain.ErrLimit)
	}
}

func TestClosedCompilerRefuses(t *testing.T) {
	t.Parallel()
	compiler := cairotest.Open(t, cairotest.Optional(t))
	for range 2 {
		if err := compiler.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	_, err := compiler.Compile(t.Context(), toolchain.Source{Package: "empty", Text: minimal})
	if !errors.Is(err, toolchain.ErrClosed) {
		t.Errorf("a closed compiler: got %v, want %v", err, toolchain.ErrClosed)
	}
}

func TestOnlyThePinnedCompilerIsOpened(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if _, err := toolchain.Open(t.Context(), toolchain.Options{Wasm: folder}); !errors.Is(err, toolchain.ErrNoCompiler) {
		t.Errorf("an empty folder: got %v, want %v", err, toolchain.ErrNoCompiler)
	}
	file := filepath.Join(folder, "wasm-cairo_bg.wasm")
	if err := os.WriteFile(file, []byte("\x00asm\x01\x00\x00\x00"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{folder, file} {
		if _, err := toolchain.Open(t.Context(), toolchain.Options{Wasm: path}); !errors.Is(err, toolchain.ErrForeignCompiler) {
			t.Errorf("another module at %s: got %v, want %v", path, err, toolchain.ErrForeignCompiler)
		}
	}
}
