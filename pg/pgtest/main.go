package pgtest

import "testing"

// Main wraps the tests of a package so that the server ends with them. It
// serves os.Exit(pgtest.Main{M: m}.Run()) as well as goleak.VerifyTestMain, which
// would otherwise take the running server for a leak.
type Main struct{ M *testing.M }

// Run runs the tests, then stops the server, and answers the exit code.
func (m Main) Run() int {
	defer stop()
	return m.M.Run()
}
