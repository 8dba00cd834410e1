package index

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"astrolabe/domain"
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

// slowLeases are leases whose renewals take until they are let through.
type slowLeases struct {
	indexing.Leases
	renewals chan context.Context
	proceed  chan struct{}
	taken    bool
}

func (l *slowLeases) TakeLease(ctx context.Context, c domain.Chain, holder string, lasts time.Duration) (indexing.Lease, bool, error) {
	if l.taken {
		l.renewals <- ctx
		<-l.proceed
	}
	l.taken = true
	return l.Leases.TakeLease(ctx, c, holder, lasts)
}

func TestLeaderAwaitsARenewalOfItsLeaseBeforeItStops(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sim.Config{Blocks: 3})
	leases := &slowLeases{Leases: w.leases(), renewals: make(chan context.Context, 1), proceed: make(chan struct{})}
	loop := w.loop("a")
	loop.Leases, loop.Lease = leases, time.Second
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- loop.Run(ctx) }()
	renewal := <-leases.renewals
	stop()
	if err := renewal.Err(); errors.Is(err, context.Canceled) {
		t.Errorf("got %v for a renewal, want it awaited: the database may execute it after the release", err)
	}
	close(leases.proceed)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if held, found, err := w.leases().HeldLease(t.Context(), "SN_MAIN"); err != nil || found {
		t.Errorf("got %+v held %t and %v, want the lease released", held, found, err)
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

func TestBackfillIsAnnouncedBeforeItsFirstBatch(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sim.Config{Blocks: 30})
	var log lockedBuffer
	loop := w.loop("a")
	loop.Logger = slog.New(slog.NewTextHandler(&log, nil))
	store := pausing{loop.Writer, make(chan struct{}, 100), make(chan struct{})}
	loop.Writer = store
	leader := w.leader(loop)
	ended := make(chan error, 1)
	go func() { ended <- leader.turn(t.Context()) }()
	<-store.paused
	if got := w.status(); got.State != chain.Backfilling || got.Backfill == nil {
		t.Errorf("before the first batch: got the state %s and the backfill %+v, want %s", got.State, got.Backfill, chain.Backfilling)
	}
	close(store.resume)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(log.buf.String(), "backfill started"); got != 1 {
		t.Errorf("got %d lines that the backfill started, want 1:\n%s", got, log.buf.String())
	}
}

// TestNewIndexShowsItsStateBeforeTheNodeAnswers has a node that does not answer,
// so that the first turn of a leader does not end.
func TestNewIndexShowsItsStateBeforeTheNodeAnswers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sim.Config{Blocks: 3})
	asked := make(chan struct{}, 100)
	w.front.serve(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	}))
	loop := w.loop("a")
	loop.Node = w.node.Source()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- loop.Run(ctx) }()
	<-asked
	if got := w.status(); !got.Led || got.State != chain.Backfilling {
		t.Errorf("got led %v and the state %q, want a leader that backfills", got.Led, got.State)
	}
	stop()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
}

// unreachable are leases in a database that cannot be reached.
type unreachable struct{ indexing.Leases }

func (unreachable) TakeLease(context.Context, domain.Chain, string, time.Duration) (indexing.Lease, bool, error) {
	return indexing.Lease{}, false, errors.New("no route to the database")
}

func TestLostLeaseSaysWhy(t *testing.T) {
	t.Parallel()
	expire := func(w *world, _ *Loop) { w.execute(`UPDATE index_leases SET expires_at = now()`) }
	for want, happens := range map[string]func(*world, *Loop){
		"database could not be reached": func(_ *world, l *Loop) { l.Leases = unreachable{l.Leases} },
		"this process leads again":      expire,
		"another process leads":         func(w *world, l *Loop) { expire(w, l); w.leader(w.loop("b")) },
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, sim.Config{Blocks: 1})
			var log lockedBuffer
			loop := w.loop("a")
			loop.Logger = slog.New(slog.NewTextHandler(&log, nil))
			leader := w.leader(loop)
			happens(w, loop)
			loop.Lease = time.Second
			ctx, lose := context.WithCancel(t.Context())
			loop.renew(ctx, lose, leader.lease)
			if got := log.buf.String(); ctx.Err() == nil || !strings.Contains(got, want) || strings.Count(got, "\n") != 1 {
				t.Errorf("got the log %q, want one line with %q", got, want)
			}
		})
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
