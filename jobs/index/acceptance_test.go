package index

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/indexing"
	store "astrolabe/repo/index"
	"astrolabe/repo/onchain"
	"astrolabe/sim"
	"astrolabe/sim/fault"
	"astrolabe/starknet"
)

// logged returns a leader whose log is kept.
func (w *world) logged() (*turns, *lockedBuffer) {
	w.Helper()
	log := &lockedBuffer{}
	loop := w.loop("a")
	loop.Logger = slog.New(slog.NewTextHandler(log, nil))
	return w.leader(loop), log
}

// says expects an error in the log with all of the texts.
func (b *lockedBuffer) says(t *testing.T, texts ...string) {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for line := range strings.Lines(b.buf.String()) {
		missing := !strings.Contains(line, "level=ERROR")
		for _, text := range texts {
			missing = missing || !strings.Contains(line, text)
		}
		if !missing {
			return
		}
	}
	t.Errorf("got the log\n%s\nwant an error with %q", b.buf.String(), texts)
}

// accepted expects an acceptance in the status.
func (w *world) accepted(number uint64, hash starknet.Felt) {
	w.Helper()
	status := w.status()
	if status.L1 == nil || status.L1Hash == nil || *status.L1 != number || *status.L1Hash != hash {
		w.Errorf("accepted on L1: got %v %v, want %d %s", status.L1, status.L1Hash, number, hash)
	}
}

// hashOf returns the hash of an indexed block.
func (w *world) hashOf(number uint64) starknet.Felt {
	w.Helper()
	hash, held, err := store.NewCheckpoints(w.db).BlockHash(w.Context(), domain.Mainnet, number)
	if err != nil || !held {
		w.Fatalf("block %d: got held %v and %v, want it indexed", number, held, err)
	}
	return hash
}

func TestL1StatusOfABlockCountsBeforeTheL1HeadIsRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sim.Config{Blocks: 40})
	if err := w.sim.Fault(fault.Fault{Kind: fault.RPCError, Code: 24, Methods: []string{"starknet_getBlockWithTxHashes"}}); err != nil {
		t.Fatal(err)
	}
	w.catchUp(w.leader(w.loop("a")))
	w.accepted(28, w.hashOf(28))
	horizon, err := chain.NewStatuses(onchain.NewHeads(w.db), 0).Horizon(t.Context(), domain.Mainnet)
	if err != nil || horizon.Finality(28) != chain.AcceptedOnL1 || horizon.Finality(29) != chain.AcceptedOnL2 {
		t.Errorf("blocks 28 and 29: got %s and %s and %v, want accepted on L1 and on L2", horizon.Finality(28), horizon.Finality(29), err)
	}
}

func TestAcceptanceThatGoesBackIsCorrectedAndLogged(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sim.Config{Blocks: 20, L1Lag: 2})
	leader, log := w.logged()
	w.catchUp(leader)
	w.accepted(18, w.hashOf(18))
	w.front.serve(w.another(sim.Config{Blocks: 20, L1Lag: 6}).Handler())
	w.catchUp(leader)
	w.accepted(14, w.hashOf(14))
	log.says(t, "withdrew", "recordedBlock=18", "recordedHash="+w.hashOf(18).String(), "block=14", "hash="+w.hashOf(14).String())
}

// TestAcceptanceOfAnotherBlockIsNotRecorded lets the node name another hash
// than that of its own block.
func TestAcceptanceOfAnotherBlockIsNotRecorded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sim.Config{Blocks: 20, L1Lag: 2})
	leader, log := w.logged()
	w.catchUp(leader)
	before, other := w.hashOf(18), w.another(sim.Config{Blocks: 20, L1Lag: 4, Seed: 7})
	w.front.serve(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		if bytes.Contains(body, []byte("l1_accepted")) {
			other.Handler().ServeHTTP(rw, r)
			return
		}
		w.sim.Handler().ServeHTTP(rw, r)
	}))
	if err := leader.turn(t.Context()); !errors.Is(err, indexing.ErrInconsistent) {
		t.Errorf("got %v, want %v", err, indexing.ErrInconsistent)
	}
	w.accepted(18, before)
	log.says(t, "a different block", "block=16", "indexed="+w.hashOf(16).String(), "accepted=0x")
	w.front.serve(w.sim.Handler())
	w.catchUp(leader)
	w.accepted(18, before)
}

// TestBlockThatIsAcceptedOnL1IsNeverReplaced serves a chain that left the
// indexed one before a block that was reported as accepted on L1.
func TestBlockThatIsAcceptedOnL1IsNeverReplaced(t *testing.T) {
	t.Parallel()
	config := sim.Config{Blocks: 10, L1Lag: 2}
	w := newWorld(t, config)
	fork := w.another(config)
	if err := errors.Join(w.sim.Mine(4), fork.Reorg(1), fork.Mine(6)); err != nil {
		t.Fatal(err)
	}
	leader, log := w.logged()
	w.catchUp(leader)
	w.accepted(12, w.hashOf(12))
	before := digest(t, w.db)
	w.front.serve(fork.Handler())
	for range 2 {
		if err := leader.turn(t.Context()); !errors.Is(err, indexing.ErrAcceptedOnL1) || !strings.Contains(err.Error(), "rollback --chain SN_MAIN --to 9 --yes") {
			t.Fatalf("got %v, want %v and the advice to roll back to 9", err, indexing.ErrAcceptedOnL1)
		}
	}
	if status := w.status(); status.ReasonCode != "reorg_below_l1_accepted" || digest(t, w.db) != before {
		t.Errorf("got the status %+v, want the reason reorg_below_l1_accepted and the same facts", status)
	}
	w.accepted(12, w.hashOf(12))
	log.says(t, "halted", "reorg_below_l1_accepted")
	if err := store.NewWriter(w.db).Undo(t.Context(), leader.lease, &domain.BlockRef{Number: 9, Hash: w.hashOf(9)}); !errors.Is(err, indexing.ErrAcceptedOnL1) {
		t.Errorf("Undo: got %v, want %v", err, indexing.ErrAcceptedOnL1)
	}

	w.front.serve(w.sim.Handler())
	w.catchUp(leader) // the node has the block again
	w.front.serve(fork.Handler())
	if err := store.NewWriter(w.db).Rollback(t.Context(), leader.lease, &domain.BlockRef{Number: 9, Hash: w.hashOf(9)}); err != nil {
		t.Fatal(err)
	}
	w.accepted(9, w.hashOf(9))
	if err := leader.turn(t.Context()); err != nil {
		t.Fatal(err)
	}
	accepted, err := fork.Block(14)
	if err != nil {
		t.Fatal(err)
	}
	w.accepted(14, accepted.Header.BlockHash)
}

func TestHeadIsUnknownAfterACompleteRollback(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sim.Config{Blocks: 10})
	leader := w.leader(w.loop("a"))
	w.catchUp(leader)
	if err := leader.Backfills.RecordBackfill(t.Context(), leader.lease, &chain.Backfill{From: 0, To: 9}); err != nil {
		t.Fatal(err)
	}
	if err := store.NewWriter(w.db).Rollback(t.Context(), leader.lease, nil); err != nil {
		t.Fatal(err)
	}
	if status := w.status(); status.Block != nil || status.Backfill != nil {
		t.Errorf("got the head %v and the backfill %v, want neither", status.Block, status.Backfill)
	}
	w.catchUp(leader)
	if head := w.status().Block; head == nil || head.Hash != w.sim.Head().Header.BlockHash {
		t.Errorf("got the head %v, want that of the node", head)
	}
}

func TestIndexWithAcceptedBlocksCanBeRolledBackCompletely(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sim.Config{Blocks: 10, L1Lag: 2})
	leader := w.leader(w.loop("a"))
	w.catchUp(leader)
	if err := store.NewWriter(w.db).Rollback(t.Context(), leader.lease, nil); err != nil {
		t.Fatal(err)
	}
	if status := w.status(); status.L1 != nil || status.L1Hash != nil {
		t.Errorf("accepted on L1: got %v %v, want nothing", status.L1, status.L1Hash)
	}
	w.catchUp(leader)
	w.accepted(8, w.hashOf(8))
}
