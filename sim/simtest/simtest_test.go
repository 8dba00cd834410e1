package simtest

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

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
	if len(want[0]) < 1000 {
		t.Fatalf("got block 0 as %s, want all of it", want[0])
	}
	for range 2 { // the first may have to be recorded
		if diff := cmp.Diff(want, changed(t, New(t, config))); diff != "" {
			t.Errorf("the recorded node differs (-want +got):\n%s", diff)
		}
	}
}

// changed returns the blocks of a chain before and after some are replaced and
// added.
func changed(t *testing.T, n *sim.Node) []string {
	t.Helper()
	before := blocks(t, n)
	if err := errors.Join(n.Reorg(3), n.Mine(2)); err != nil {
		t.Fatal(err)
	}
	return slices.Concat(before, blocks(t, n))
}

// blocks returns every block as JSON.
func blocks(t *testing.T, n *sim.Node) (all []string) {
	t.Helper()
	for number := range n.Head().Header.BlockNumber + 1 {
		b, err := n.Block(number)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(b)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, strings.ReplaceAll(string(text), "null", "[]")) // empty lists have two forms
	}
	return all
}

func TestRecordingsOfOtherSimulatorsAreRemovedWhenUnused(t *testing.T) {
	t.Parallel()
	all, old := t.TempDir(), time.Now().Add(-2*unused)
	for _, source := range []string{"current", "recent", "unused"} {
		if _, err := folderOf(all, source); err != nil {
			t.Fatal(err)
		}
		if source == "recent" {
			continue
		}
		if err := os.Chtimes(filepath.Join(all, source), old, old); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := folderOf(all, "current"); err != nil {
		t.Fatal(err)
	}
	folders, err := os.ReadDir(all)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, folder := range folders {
		got = append(got, folder.Name())
	}
	if diff := cmp.Diff([]string{"current", "recent"}, got); diff != "" {
		t.Errorf("folders (-want +got):\n%s", diff)
	}
}
