package sandboxtest

import (
	"context"
	"errors"
	"os"
	"sync"
	"testing"

	"astrolabe/sandbox"
)

// requireSandbox is the environment variable that forbids skipping.
const requireSandbox = "ASTROLABE_REQUIRE_SANDBOX"

// open checks the host once per test program.
var open = sync.OnceValues(func() (*sandbox.Sandbox, error) {
	return sandbox.Open(context.Background(), sandbox.Options{})
})

// Open returns a sandbox, or skips the test if this host has none.
func Open(tb testing.TB) *sandbox.Sandbox {
	tb.Helper()
	opened, err := open()
	var unavailable *sandbox.UnavailableError
	if errors.As(err, &unavailable) && os.Getenv(requireSandbox) != "1" {
		tb.Skipf("this test needs a sandbox: %v", err)
	}
	if err != nil {
		tb.Fatal(err)
	}
	return opened
}
