package sandbox_test

import (
	"os"
	"testing"

	"astrolabe/sandbox"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	sandbox.Reexec()
	_ = os.Setenv("ASTROLABE_TEST_SECRET", hostSecret)
	goleak.VerifyTestMain(m)
}
