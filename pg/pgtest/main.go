package pgtest

import "testing"

// Main wraps the tests of a package so that the server stops with them. It
// works with os.Exit(pgtest.Main{M: m}.Run()) and with goleak.VerifyTestMain,
// which would otherwise report the running server as a leak.
type Main struct{ M *testing.M }

// Run runs the tests, stops the server and returns the exit code.
func (m Main) Run() int {
	defer stop()
	return m.M.Run()
}
