package graph

import (
	"os"
	"testing"

	"go.uber.org/goleak"

	"astrolabe/pg/pgtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(pgtest.Main{M: m}) }

// soak runs the long versions of tests.
var soak = os.Getenv("ASTROLABE_SOAK") != ""
