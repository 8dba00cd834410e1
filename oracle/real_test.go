package oracle

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/jobs/index"
	"astrolabe/sim/realdata"
	"astrolabe/starknet"
	"astrolabe/starknet/abi"
)

// realData is the folder of real blocks.
var realData = filepath.Join("..", "..", "shared", "data", "real")

// TestTheServiceAnswersWhatTheModelSaysOfRealBlocks does the same with blocks of
// the real chains. What a node alone can tell is left out, since the blocks come
// from files.
func TestTheServiceAnswersWhatTheModelSaysOfRealBlocks(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat(realData); errors.Is(err, os.ErrNotExist) {
		t.Skip("the real chain data is not at " + realData)
	}
	requests := 80
	if soak {
		requests = 1000
	}
	for _, run := range []struct {
		chain       domain.Chain
		first, last uint64
	}{
		{domain.Mainnet, 0, 2}, {domain.Mainnet, 833, 833}, {domain.Mainnet, 2889, 2889}, {domain.Mainnet, 19199, 19199}, {domain.Mainnet, 763497, 763497},
		{domain.Sepolia, 0, 6}, {domain.Sepolia, 40000, 40000}, {domain.Sepolia, 56377, 56379},
	} {
		t.Run(fmt.Sprintf("%s/%d-%d", run.chain, run.first, run.last), func(t *testing.T) {
			t.Parallel()
			server, err := realdata.Serve(realData, string(run.chain), run.first, run.last)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(server.Close)
			w := newIndex(t, run.chain, server.URL, func(l *index.Loop) {
				l.First, l.AcceptMissingClasses = run.first, true
				l.Verify = facts.Unverified // most real blocks come without their state diff
			})
			w.follow(ofFiles(t, string(run.chain), run.first, run.last))
			if answers := w.ask(newAsker(run.first, w.model), requests); answers[200] < requests/2 {
				t.Errorf("got the statuses %v, want at least %d of 200", answers, requests/2)
			}
		})
	}
}

// ofFiles models a run of real blocks.
func ofFiles(t *testing.T, chain string, first, last uint64) *Model {
	t.Helper()
	m := &Model{Chain: chain, Classes: map[starknet.Felt]*abi.Schema{}, Depth: depth, Unverified: true}
	var err error
	if m.Registry, err = ReadRegistry("..", chain); err != nil {
		t.Fatal(err)
	}
	for number := first; number <= last; number++ {
		name := strconv.FormatUint(number, 10) + ".json"
		var b Block
		var update starknet.StateUpdate
		readJSON(t, filepath.Join(chain, "blocks", name), &b.BlockWithReceipts)
		readJSON(t, filepath.Join(chain, "state_updates", name), &update)
		b.Diff = update.StateDiff
		for _, hash := range named(b.Diff) {
			var class starknet.Class
			if readJSON(t, filepath.Join(chain, "classes", hash.String()+".json"), &class) {
				m.Classes[hash], _ = abi.Compile(class.ABI())
			}
		}
		if b.Status == starknet.AcceptedOnL1 {
			m.L1 = new(number)
		}
		m.Blocks = append(m.Blocks, b)
	}
	if last >= first+depth {
		m.Finalized = new(last - depth)
	}
	m.derive()
	return m
}

// readJSON reads a file and reports whether there is one.
func readJSON(t *testing.T, path string, value any) bool {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(realData, path))
	if errors.Is(err, os.ErrNotExist) {
		return false
	}
	if err := errors.Join(err, json.Unmarshal(text, value)); err != nil {
		t.Fatal(path, err)
	}
	return true
}
