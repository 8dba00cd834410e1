package toolchain_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"astrolabe/starknet"
	"astrolabe/toolchain"
	"astrolabe/toolchain/cairotest"
)

// references are sources whose class hashes others computed with the native compiler of the
// same version. The first exercises every correction; the others take part in long runs.
var references = []struct {
	file   string
	source toolchain.Source
	hash   string
}{
	{
		file:   "hello_starknet.cairo",
		source: toolchain.Source{Package: "cairo_level_tests", ModulePath: "contracts::hello_starknet"},
		hash:   "0x75f923d6269a281cc34fcf4c48de14b51e621e7f901771ae33e97b093951dd8",
	},
	{
		file:   "minimal_contract.cairo",
		source: toolchain.Source{Package: "cairo_level_tests", ModulePath: "contracts::minimal_contract"},
		hash:   "0x42ccc62722a1ec39eed7c9522e42ead655859cb984f93070317cde724051703",
	},
	{
		file:   "u96.cairo",
		source: toolchain.Source{Package: "test_u96"},
		hash:   "0x2875fd8a61e0fbeed2e78a0a060778c9af9feeea8105ab7d9ed7c277e27e36d",
	},
	{
		file:   "call.cairo",
		source: toolchain.Source{Package: "katana_misc"},
		hash:   "0x470e36adf25142a2f18447919b75031a4c6b4ae8edae030075a25122420e90d",
	},
}

func TestClassesHashAsTheNativeCompilersDo(t *testing.T) {
	t.Parallel()
	folder := filepath.Join("..", "..", "shared", "data", "cairo")
	if _, err := os.Stat(folder); err != nil {
		t.Skipf("the reference sources are not here: %v", err)
	}
	cases := references
	if os.Getenv("ASTROLABE_SOAK") != "1" {
		cases = cases[:1]
	}
	compiler := cairotest.Open(t, cairotest.Optional(t))
	for _, reference := range cases {
		text, err := os.ReadFile(filepath.Join(folder, reference.file))
		if err != nil {
			t.Fatal(err)
		}
		source := reference.source
		source.Text = string(text)
		class, err := compiler.Compile(t.Context(), source)
		if err != nil {
			t.Fatalf("%s: %v", reference.file, err)
		}
		if got := class.Hash(); got != starknet.MustFelt(reference.hash) {
			t.Errorf("%s: got class hash %s, want %s as of the native compiler", reference.file, got, reference.hash)
		}
	}
}

func TestRejectedSourceSaysWhere(t *testing.T) {
	t.Parallel()
	compiler := cairotest.Open(t, cairotest.Optional(t))
	text := strings.Join([]string{
		"#[starknet::contract]",
		"mod broken {",
		"    #[storage]",
		"    struct Storage {}",
		"    #[external(v0)]",
		"    fn empty(self: @ContractState) -> u8 { not_there(5) }",
		"}",
	}, "\n")
	_, err := compiler.Compile(t.Context(), toolchain.Source{Package: "broken", ModulePath: "inner", Text: text})
	var rejected *toolchain.CompileError
	if !errors.As(err, &rejected) {
		t.Fatalf("the error is %v, not a CompileError", err)
	}
	for _, d := range rejected.Diagnostics {
		if d.Line == 6 && d.Column == 44 && strings.HasSuffix(d.Message, "not found.") {
			return
		}
	}
	t.Errorf("no diagnostic points at the unknown function: %v", err)
}

func TestCompilationEndsWithItsContext(t *testing.T) {
	t.Parallel()
	for _, trusted := range []bool{true, false} {
		t.Run(fmt.Sprintf("trusted=%t", trusted), func(t *testing.T) {
			t.Parallel()
			options := cairotest.Optional(t)
			options.Trusted = trusted
			compiler := cairotest.Open(t, options)
			ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
			defer cancel()
			_, err := compiler.Compile(ctx, toolchain.Source{Package: "empty", Text: minimal})
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("a compilation that outlives its context answers %v", err)
			}
			for range 8 {
				_, err := compiler.Compile(ctx, toolchain.Source{Package: "empty", Text: minimal})
				if !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("a compilation that begins after its context's end answers %v", err)
				}
			}
		})
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
		t.Errorf("one megabyte of memory answers %v", err)
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
		t.Errorf("a closed compiler answers %v", err)
	}
}

func TestOnlyThePinnedCompilerIsOpened(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if _, err := toolchain.Open(t.Context(), toolchain.Options{Wasm: folder}); !errors.Is(err, toolchain.ErrNoCompiler) {
		t.Errorf("an empty folder answers %v", err)
	}
	file := filepath.Join(folder, "wasm-cairo_bg.wasm")
	if err := os.WriteFile(file, []byte("\x00asm\x01\x00\x00\x00"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{folder, file} {
		if _, err := toolchain.Open(t.Context(), toolchain.Options{Wasm: path}); !errors.Is(err, toolchain.ErrForeignCompiler) {
			t.Errorf("another module answers %v", err)
		}
	}
}
