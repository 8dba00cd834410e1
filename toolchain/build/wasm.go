package build

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"astrolabe/domain/verify"
	"astrolabe/sandbox"
	"astrolabe/toolchain"
)

// Wasm builds contracts with the Cairo compiler for WebAssembly. It refuses
// packages that this compiler cannot build exactly as Scarb does; package flatten
// lists them.
type Wasm struct {
	runner
	identity toolchain.Identity
}

var _ verify.Compiler = (*Wasm)(nil)

// OpenWasm prepares the compiler's machine code and checks in the sandbox that it
// can be used. The sandbox must be able to read the compiler and CacheDir: see
// sandbox.Mount. The errors are those of toolchain.Open, and of the sandbox.
func OpenWasm(ctx context.Context, box *sandbox.Sandbox, options toolchain.Options, limits sandbox.Limits) (*Wasm, error) {
	cache, err := toolchain.Warm(ctx, options)
	if err != nil {
		return nil, err
	}
	file, err := options.File()
	if err != nil {
		return nil, err
	}
	dir, err := filepath.Abs(cache.Dir)
	if err != nil {
		return nil, err
	}
	w := &Wasm{
		runner: runner{box: box, entry: wasmEntry, limits: limits, digest: cache.Digest,
			mounts: []sandbox.Mount{{Host: file, Inside: wasmInside}, {Host: dir, Inside: cacheInside}}},
		identity: toolchain.WasmIdentity(),
	}
	if err := w.check(ctx); err != nil {
		return nil, fmt.Errorf("the Cairo compiler cannot be used in the sandbox: %w", err)
	}
	return w, nil
}

// Toolchain implements verify.Compiler.
func (w *Wasm) Toolchain() verify.Toolchain {
	return verify.Toolchain{Name: w.identity.Name, Version: w.identity.Version, Digest: "sha256:" + w.identity.Digest}
}

// Compile implements verify.Compiler.
func (w *Wasm) Compile(ctx context.Context, archive io.Reader, p verify.Package) (*verify.Output, error) {
	return w.compile(ctx, archive, p)
}
