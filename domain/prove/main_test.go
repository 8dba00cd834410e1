package prove_test

import (
	"testing"

	"go.uber.org/goleak"

	"astrolabe/pg/pgtest"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(pgtest.Main{M: m})
}
