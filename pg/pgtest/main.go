package pgtest

import (
	"os"
	"path/filepath"
	"testing"
)

// Main wraps the tests of a package so that the server ends with them. It
// serves
// os.Exit(pgtest.Main{M: m}.Run()) as well as goleak.VerifyTestMain, which
// would otherwise take the running server for a leak.
type Main struct{ M *testing.M }

// Run runs the tests, then stops the server, and answers the exit code.
func (m Main) Run() int {
	defer stop()
	return m.M.Run()
}

// Dir is t.TempDir for tests that start a private server themselves: as root,
// the user as whom the server runs can reach it.
func Dir(tb testing.TB) string {
	tb.Helper()
	dir := tb.TempDir()
	if err := os.Chmod(filepath.Dir(dir), 0o711); err != nil {
		tb.Fatalf("pgtest: open the folder to the server: %v", err)
	}
	return dir
}
