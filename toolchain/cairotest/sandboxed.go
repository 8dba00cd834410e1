package cairotest

import (
	"os"
	"path/filepath"
	"testing"

	"astrolabe/toolchain"
)

// PublicDir returns a temporary folder that every user may read, such as the user
// of a sandbox. The folders of testing.T are closed to others.
func PublicDir(tb testing.TB) string {
	tb.Helper()
	dir, err := os.MkdirTemp("/tmp", "astrolabe-test-")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil { //nolint:gosec // others must read it
		tb.Fatal(err)
	}
	return dir
}

// Sandboxed returns the options of a compiler for the sandbox, or skips the test
// if none was fetched. The compiler and its machine code are copied, so that the
// sandbox can read them wherever the repository is.
func Sandboxed(tb testing.TB) toolchain.Options {
	tb.Helper()
	options := Optional(tb)
	dir := PublicDir(tb)
	for from, to := range map[string]string{options.Wasm: "wasm-cairo", options.CacheDir: filepath.Join("cache", filepath.Base(options.CacheDir))} {
		if err := os.CopyFS(filepath.Join(dir, to), os.DirFS(from)); err != nil {
			tb.Fatal(err)
		}
	}
	return toolchain.Options{Wasm: filepath.Join(dir, "wasm-cairo"), CacheDir: filepath.Join(dir, "cache")}
}
