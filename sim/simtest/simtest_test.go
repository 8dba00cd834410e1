package simtest

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"astrolabe/sim"
)

// TestARecordedNodeEqualsABuiltOne compares their blocks, also those that they
// add and replace.
func TestARecordedNodeEqualsABuiltOne(t *testing.T) {
	t.Parallel()
	config := sim.Config{Blocks: 12, L1Lag: 5, Seed: 9}
	built, err := sim.New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = built.Close() })
	want := changed(t, built)
	for range 2 { // the first may have to be recorded
		if diff := cmp.Diff(want, changed(t, New(t, config))); diff != "" {
			t.Errorf("the recorded node differs (-want +got):\n%s", diff)
		}
	}
}

// changed returns the hashes of a chain before and after blocks are replaced and
// added.
func changed(t *testing.T, n *sim.Node) []string {
	t.Helper()
	before := blocks(t, n)
	if err := errors.Join(n.Reorg(3), n.Mine(2)); err != nil {
		t.Fatal(err)
	}
	return slices.Concat(before, blocks(t, n))
}

func blocks(t *testing.T, n *sim.Node) (hashes []string) {
	t.Helper()
	for number := range n.Head().Header.BlockNumber + 1 {
		b, err := n.Block(number)
		if err != nil {
			t.Fatal(err)
		}
		hashes = append(hashes, b.Header.BlockHash.String())
	}
	return hashes
}
