package main

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"astrolabe/pg/pgtest"
)

func TestMain(m *testing.M) {
	testscript.Main(tests{pgtest.Main{M: m}}, map[string]func(){"astrolabe": main})
}

// tests removes shared files after the last test.
type tests struct{ pgtest.Main }

// Run runs the tests and cleans up.
func (t tests) Run() int {
	defer os.RemoveAll(buildFolder)
	return t.Main.Run()
}

// TestCommandLine runs the scripts of testdata/script: commands and their
// output.
func TestCommandLine(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv("DATA", pgtest.Dir(t)+"/data")
			env.Setenv("DATABASE", pgtest.Database(t, nil))
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("ASTROLABE_ADDR", "127.0.0.1:0") // scripts run in parallel
			env.Setenv("ASTROLABE_ADMIN_ADDR", "127.0.0.1:0")
			return os.MkdirAll(env.Getenv("DATA"), 0o711)
		},
	})
}
