package sandbox_test

import (
	"testing"

	"astrolabe/sandbox"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	sandbox.Reexec()
	goleak.VerifyTestMain(m)
}
