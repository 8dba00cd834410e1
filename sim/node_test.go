package sim

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"

	"astrolabe/sim/fault"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestEconomyIsNeverRefused checks that the script only sends valid
// transactions.
func TestEconomyIsNeverRefused(t *testing.T) {
	t.Parallel()
	for _, n := range []*Node{readOnly(t), testNode(t, Config{Blocks: 70, Chain: "SN_SEPOLIA", Seed: 11})} {
		for _, err := range n.economy.Refused() {
			t.Error(err)
		}
	}
}

// TestMemoryIsBoundedByTheWindow grows a chain far beyond its window and counts
// what it keeps in memory.
func TestMemoryIsBoundedByTheWindow(t *testing.T) {
	t.Parallel()
	n := testNode(t, Config{Blocks: 40, Window: 20, Profile: Profile{Accounts: 20, Events: 60}, Record: filepath.Join(t.TempDir(), "chain")})
	before := n.chain.Kept()
	if err := n.Mine(50); err != nil {
		t.Fatal(err)
	}
	after := n.chain.Kept()
	if after.Blocks != 20 || after.Transactions > 2*before.Transactions || after.Versions > 2*before.Versions {
		t.Errorf("got %+v, want 20 blocks and at most twice as much as %+v", after, before)
	}
	old, err := n.Block(15)
	if err != nil {
		t.Fatal(err)
	}
	if h := old.Header; h.BlockNumber != 15 || h.EventCount < 50 {
		t.Errorf("an old block from the recording: got block %d with %d events, want block 15 with at least 50", h.BlockNumber, h.EventCount)
	}
	if err := n.Close(); err != nil {
		t.Error(err)
	}
}

func TestClockAddsAndReplacesBlocks(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	n := testNode(t, Config{Blocks: 5, BlockTime: time.Millisecond})
	s := connect(t, n).socket(ctx)
	s.subscribe("starknet_subscribeNewHeads", nil)
	put(t, n, fault.Fault{Kind: fault.Reorg, Depth: 2, Every: 3})
	if err := n.Start(ctx); err != nil {
		t.Fatal(err)
	}
	if err := n.Start(ctx); !errors.Is(err, ErrRunning) {
		t.Errorf("a second start: got %v, want %v", err, ErrRunning)
	}
	for s.next().Method != "starknet_subscriptionReorg" {
	}
	if err := n.Close(); err != nil {
		t.Error(err)
	}
	if err := n.Stop(); err != nil {
		t.Error(err)
	}
	for {
		if _, _, err := s.conn.Read(ctx); err != nil {
			break // Close has ended the connection
		}
	}
	if head := n.Head().Header.BlockNumber; head < 8 || ctx.Err() != nil {
		t.Errorf("got head %d, %v, want at least 8", head, ctx.Err())
	}
}

func TestConfigurationsThatMakeNoSenseAreRefused(t *testing.T) {
	t.Parallel()
	for _, config := range []Config{{Blocks: -1}, {Chain: "SN_MOON"}, {Window: 1}, {L1Lag: -1}, {BlockTime: -1}, {Genesis: time.Unix(-5, 0)}} {
		if _, err := newNode(config, testDocuments(t)); err == nil {
			t.Errorf("%+v: got a node, want an error", config)
		}
	}
}
