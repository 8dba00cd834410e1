package toolchain

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// wasmIdentity is the only compiler that Open accepts: the npm package wasm-cairo 0.10.2.
var wasmIdentity = Identity{
	Name:    "wasm-cairo",
	Version: "2.8.2",
	Digest:  "fb8e14d690be2994ea5ed768bde1f3f716ba3cacf882f25e0bb71eb2ead45b66",
}

// WasmIdentity returns the identity of the only compiler that Open accepts.
func WasmIdentity() Identity { return wasmIdentity }

// wasmFile is the compiler's name inside its folder.
const wasmFile = "wasm-cairo_bg.wasm"

// Options configure the compiler. Only Wasm is required.
type Options struct {
	// Wasm is the compiler's file or the folder that holds it.
	Wasm string
	// CacheDir caches the machine code of the compiler between processes, which
	// makes Open about ten seconds faster. The code is executed, so other users
	// must not be able to write to the folder. Empty disables the cache.
	CacheDir string
	// MemoryLimit limits the memory of a compilation, in bytes. Zero means 2
	// GiB.
	MemoryLimit uint64
	// Timeout limits the time of a compilation. Zero means ten minutes. A
	// compilation that exceeds it, or whose context has ended, ends when it next
	// needs memory: checking continuously would take three times as long. Sources
	// that are not known are compiled in a sandbox with limits of its own.
	Timeout time.Duration
}

func (o Options) withDefaults() Options {
	if o.MemoryLimit == 0 {
		o.MemoryLimit = 2 << 30
	}
	if o.Timeout == 0 {
		o.Timeout = 10 * time.Minute
	}
	return o
}

// File returns the absolute path of the compiler's file.
func (o Options) File() (string, error) {
	file := o.Wasm
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		file = filepath.Join(file, wasmFile)
	}
	return filepath.Abs(file)
}

// readWasm reads the compiler and checks that it is the pinned one.
func (o Options) readWasm() ([]byte, error) {
	file, err := o.File()
	if err != nil {
		return nil, err
	}
	code, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s does not exist", ErrNoCompiler, file)
	} else if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoCompiler, err)
	}
	if sum := sha256.Sum256(code); hex.EncodeToString(sum[:]) != wasmIdentity.Digest {
		return nil, fmt.Errorf("%w: %s has the SHA-256 %x", ErrForeignCompiler, file, sum)
	}
	return code, nil
}
