package index_test

import (
	"errors"
	"testing"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/repo/index"
	"astrolabe/repo/repotest"
	"astrolabe/starknet"
)

// began returns a writer of an index whose checkpoint is its fifth block, and
// the lease of its leader.
func began(t *testing.T) (*index.Writer, index.Leases, indexing.Lease, indexing.Batch) {
	t.Helper()
	db, blocks := repotest.Open(t), repotest.Everyday(t)
	i := repotest.NewIndex(t.Context(), db, 0, 5)
	tip := i.Open(0, 1000, indexing.RangeReady)
	i.Commit(tip, blocks[:5])
	if err := i.Err(); err != nil {
		t.Fatal(err)
	}
	leases := index.NewLeases(db)
	lease, leads, err := leases.TakeLease(t.Context(), domain.Mainnet, "test", time.Hour)
	if err != nil || !leads {
		t.Fatalf("leads %t, %v, want true", leads, err)
	}
	at := blocks[4].Header
	next := indexing.Batch{After: &domain.BlockRef{Number: at.Number, Hash: at.Hash}, Range: tip, Blocks: []facts.Block{blocks[5]}}
	return index.NewWriter(db), leases, lease, next
}

// TestALeaseOfAnEpochThatIsOverIsOfNoUse lets a process lose its lease and take
// it again under the same name: writes that it began before must fail.
func TestALeaseOfAnEpochThatIsOverIsOfNoUse(t *testing.T) {
	t.Parallel()
	writer, leases, old, batch := began(t)
	if err := leases.ReleaseLease(t.Context(), old); err != nil {
		t.Fatal(err)
	}
	lease, leads, err := leases.TakeLease(t.Context(), domain.Mainnet, "test", time.Hour)
	if err != nil || !leads || lease.Epoch != old.Epoch+1 {
		t.Fatalf("taken again: got %+v, %t, %v, want epoch %d", lease, leads, err, old.Epoch+1)
	}
	impostor := lease
	impostor.Holder = "other"
	for name, lost := range map[string]indexing.Lease{"an old epoch": old, "another holder": impostor} {
		if err := writer.Commit(t.Context(), lost, batch); !errors.Is(err, indexing.ErrLeaseLost) {
			t.Errorf("a commit by %s: got %v, want %v", name, err, indexing.ErrLeaseLost)
		}
		if err := writer.RecordHead(t.Context(), lost, chain.Head{State: chain.Following}); !errors.Is(err, indexing.ErrLeaseLost) {
			t.Errorf("a head by %s: got %v, want %v", name, err, indexing.ErrLeaseLost)
		}
		if err := leases.ReleaseLease(t.Context(), lost); err != nil {
			t.Fatal(err)
		}
		if _, leads, err := leases.TakeLease(t.Context(), domain.Mainnet, "b", time.Hour); err != nil || leads {
			t.Errorf("after a release by %s another process leads %t, %v, want false", name, leads, err)
		}
	}
	if err := writer.Commit(t.Context(), lease, batch); err != nil {
		t.Errorf("a commit by the leader: got %v, want no error", err)
	}
}

func TestABatchIsCommittedOnlyAfterTheCheckpoint(t *testing.T) {
	t.Parallel()
	writer, _, lease, batch := began(t)
	at := *batch.After
	for name, after := range map[string]*domain.BlockRef{
		"nowhere":         nil,
		"a block before":  {Number: at.Number - 1, Hash: at.Hash},
		"a block behind":  {Number: at.Number + 1, Hash: at.Hash},
		"another's block": {Number: at.Number, Hash: starknet.FeltFromUint64(5)},
	} {
		moved := batch
		moved.After = after
		if err := writer.Commit(t.Context(), lease, moved); !errors.Is(err, indexing.ErrCheckpointMoved) {
			t.Errorf("after %s: got %v, want %v", name, err, indexing.ErrCheckpointMoved)
		}
	}
	if err := writer.Commit(t.Context(), lease, batch); err != nil {
		t.Errorf("after the block it stands at: got %v, want no error", err)
	}
	if err := writer.Commit(t.Context(), lease, batch); !errors.Is(err, indexing.ErrCheckpointMoved) {
		t.Errorf("the same batch again: got %v, want %v", err, indexing.ErrCheckpointMoved)
	}
}
