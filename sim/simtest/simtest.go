package simtest

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"astrolabe/sim"
)

// New returns a node as Open does and closes it at the end of the test.
func New(tb testing.TB, config sim.Config) *sim.Node {
	tb.Helper()
	node, err := Open(config)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = node.Close() })
	return node
}

// Open returns a node as sim.New does, with recorded blocks. The configuration
// must not name a file, and not have a random seed: its recording would be used
// only once.
func Open(config sim.Config) (*sim.Node, error) {
	if config.Record != "" || config.State != "" || config.Rendered != "" {
		return nil, errors.New("simtest: the configuration names a file")
	}
	path, err := recorded(config)
	if err != nil {
		return nil, err
	}
	blocks, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return resume(config, blocks)
}

// resume returns a node that continues a recording. Its file has no name, so
// that nothing remains of it.
func resume(config sim.Config, blocks []byte) (node *sim.Node, err error) {
	dir, err := os.MkdirTemp("", "astrolabe-sim-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	config.State = filepath.Join(dir, "chain")
	if err := os.WriteFile(config.State, blocks, 0o600); err != nil { //nolint:gosec // it is in our own folder
		return nil, err
	}
	return sim.New(config)
}
