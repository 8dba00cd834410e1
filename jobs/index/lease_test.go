package index

import (
	"context"
	"errors"
	"testing"
	"time"

	"astrolabe/domain/chain"
	"astrolabe/domain/indexing"
	"astrolabe/sim"
)

func TestStandbyLeadsAtOnceWhenTheLeaderStops(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sim.Config{Blocks: 3})
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- w.loop("a").Run(ctx) }()
	for w.status().Coverage == nil { // until the leader leads
	}
	if _, leads, err := w.leases().TakeLease(t.Context(), "SN_MAIN", "b", time.Minute); err != nil || leads {
		t.Errorf("got leads %v and %v, want one leader", leads, err)
	}
	stop()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if lease, leads, err := w.leases().TakeLease(t.Context(), "SN_MAIN", "b", time.Minute); err != nil || !leads || lease.Epoch != 2 {
		t.Errorf("got %+v, leads %v and %v, want the lease of epoch 2", lease, leads, err)
	}
}

func TestLeaseOfAProcessThatHasEndedIsTakenOverAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sim.Config{Blocks: 3})
	if _, leads, err := w.leases().TakeLease(t.Context(), "SN_MAIN", "killed", time.Hour); err != nil || !leads {
		t.Fatalf("got leads %v and %v, want the lease", leads, err)
	}
	ctx, stop := context.WithCancel(t.Context())
	loop := w.loop("next")
	asked := make(chan string, 1)
	loop.Gone = func(holder string) bool {
		select {
		case asked <- holder:
		default:
		}
		return holder == "killed"
	}
	ended := make(chan error, 1)
	go func() { ended <- loop.Run(ctx) }()
	for w.status().Coverage == nil { // until the next process leads
	}
	stop()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if got := <-asked; got != "killed" {
		t.Errorf("got asked about %q, want the holder of the lease", got)
	}
}

func TestStatusSaysThatTheLeaderIsGoneBeforeItsLeaseEnds(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sim.Config{Blocks: 3})
	leader := w.leader(w.loop("a")) // for an hour
	w.catchUp(leader)
	if !w.status().Led {
		t.Fatal("got no leader, want one")
	}
	w.execute(`UPDATE index_leases SET expires_at = now() + make_interval(secs => lasts_ms / 3000.0)`) // it was not renewed since
	if w.status().Led {
		t.Error("got a leader that renewed nothing for most of its lease, want none")
	}
}

// pausing is a writer whose leader pauses between deriving a batch and writing
// it.
type pausing struct {
	Writer
	paused, resume chan struct{}
}

func (p pausing) Commit(ctx context.Context, lease indexing.Lease, batch indexing.Batch) error {
	p.paused <- struct{}{}
	<-p.resume
	return p.Writer.Commit(ctx, lease, batch)
}

func TestLeaderPausedPastItsLeaseCannotWrite(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sim.Config{Blocks: 30})
	slow := w.loop("slow")
	store := pausing{slow.Writer, make(chan struct{}), make(chan struct{})}
	slow.Writer = store
	paused := w.leader(slow)
	ended := make(chan error, 1)
	go func() { ended <- paused.turn(t.Context()) }()
	<-store.paused
	w.execute(`UPDATE index_leases SET expires_at = now()`) // the lease expires
	w.catchUp(w.leader(w.loop("quick")))
	before := digest(t, w.db)
	close(store.resume)
	if err := <-ended; !errors.Is(err, indexing.ErrLeaseLost) && !errors.Is(err, indexing.ErrCheckpointMoved) {
		t.Errorf("paused leader: got %v, want %v or %v", err, indexing.ErrLeaseLost, indexing.ErrCheckpointMoved)
	}
	if after := digest(t, w.db); after != before {
		t.Errorf("got the digest %s after the paused leader resumed, want %s as before", after, before)
	}
}

func TestWriteWithAnOldEpochChangesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sim.Config{Blocks: 30})
	leader := w.leader(w.loop("a"))
	w.catchUp(leader)
	before := digest(t, w.db)
	if err := w.leases().ReleaseLease(t.Context(), leader.lease); err != nil {
		t.Fatal(err)
	}
	w.leader(w.loop("b"))
	to := *leader.at.Block
	to.Number--
	to.Hash, _, _ = leader.Checkpoints.BlockHash(t.Context(), leader.Chain, to.Number)
	open := leader.at.Ranges[len(leader.at.Ranges)-1]
	for name, write := range map[string]func() error{
		"commit": func() error {
			if err := w.sim.Mine(1); err != nil {
				return err
			}
			return leader.catchUp(t.Context())
		},
		"undo":  func() error { return leader.Writer.Undo(t.Context(), leader.lease, &to) },
		"begin": func() error { return leader.Writer.Begin(t.Context(), leader.lease, 7, false, nil) },
		"open": func() error {
			return leader.Writer.OpenRange(t.Context(), leader.lease, indexing.Range{From: open.To, To: open.To + 1, State: indexing.RangeReady})
		},
		"record": func() error {
			return leader.Writer.RecordHead(t.Context(), leader.lease, chain.Head{State: chain.Halted})
		},
	} {
		if err := write(); !errors.Is(err, indexing.ErrLeaseLost) {
			t.Errorf("%s: got %v, want %v", name, err, indexing.ErrLeaseLost)
		}
	}
	if digest(t, w.db) != before || w.status().State != chain.Following {
		t.Errorf("got the state %s and the digest %s, want %s and %s as before", w.status().State, digest(t, w.db), chain.Following, before)
	}
}
