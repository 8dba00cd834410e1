package graph

import (
	"testing"

	"go.uber.org/goleak"

	"astrolabe/pg/pgtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(tests{pgtest.Main{M: m}}) }

// tests runs all tests and then closes what they shared.
type tests struct{ pgtest.Main }

// Run implements what goleak runs.
func (m tests) Run() int {
	status := m.Main.Run()
	if many.db != nil {
		many.db.Close()
	}
	return status
}
