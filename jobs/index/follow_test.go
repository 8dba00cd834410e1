package index

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/indexing"
	"astrolabe/repo"
	"astrolabe/sim"
)

// run runs a loop until the test ends.
func (w *world) run(l *Loop) {
	ctx, stop := context.WithCancel(w.Context())
	ended := make(chan error, 1)
	go func() { ended <- l.Run(ctx) }()
	w.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			w.Error(err)
		}
	})
}

// await waits until readers see the chain's head.
func (w *world) await() {
	w.Helper()
	ctx, cancel := context.WithTimeout(w.Context(), time.Minute)
	defer cancel()
	changed := make(chan struct{}, 1)
	wake := func() {
		select {
		case changed <- struct{}{}:
		default:
		}
	}
	go w.db.Listen(ctx, []string{repo.BlocksChannel}, func(string, string) { wake() }, func(bool) { wake() })
	for {
		status := w.status()
		if status.Coverage != nil && status.Coverage.Last == w.sim.Head().Header.BlockNumber {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			w.Fatalf("timed out with the status %+v, want coverage up to block %d", status, w.sim.Head().Header.BlockNumber)
		}
	}
}

func TestHeadIsFollowedByNotificationsAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sim.Config{Blocks: 3})
	loop := w.loop("a")
	loop.Every, loop.Lease = time.Hour, 2*time.Hour // it never polls
	w.run(loop)
	w.await()
	for range 3 {
		if err := w.sim.Mine(1); err != nil {
			t.Fatal(err)
		}
		w.await()
	}
	if err := w.sim.Reorg(2); err != nil {
		t.Fatal(err)
	}
	if err := w.sim.Mine(1); err != nil {
		t.Fatal(err)
	}
	w.await()
}

func TestHeadIsPolledWithoutNotifications(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sim.Config{Blocks: 3})
	deaf := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Upgrade") != "" {
			http.Error(rw, "no sockets here", http.StatusNotImplemented)
			return
		}
		w.sim.Handler().ServeHTTP(rw, r)
	}))
	t.Cleanup(deaf.Close)
	w.node.Close()
	w.url = deaf.URL
	w.node = w.pool()
	w.run(w.loop("a"))
	w.await()
	if err := w.sim.Mine(2); err != nil {
		t.Fatal(err)
	}
	w.await()
}

// lockedBuffer is a buffer for concurrent log writes.
type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

// Write implements io.Writer.
func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func TestBackfillReportsItsProgress(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sim.Config{Blocks: 40})
	var log lockedBuffer
	loop := w.loop("a")
	loop.Logger = slog.New(slog.NewTextHandler(&log, nil))
	leader := w.leader(loop)
	w.catchUp(leader)
	p := newProgress(loop, func() *chain.Backfill { return &chain.Backfill{From: 10, To: 49, Done: 20, Left: new(3 * time.Second)} }, 10, 50)
	p.started, p.reported = time.Now().Add(-2*time.Second), time.Now().Add(-time.Hour)
	p.add(20, 200)
	now := p.now()
	if now.Block != 29 || now.Head != 50 || now.BlocksPerSecond < 9 || now.BlocksPerSecond > 10 || now.EventsPerSecond < 90 || now.Share != 0.5 || now.Left != 3*time.Second {
		t.Errorf("got %+v, want block 29 of 50 at 10 blocks and 100 events per second, half of the backfill and 3 s left", now)
	}
	for _, line := range []string{"backfill started", "backfill in progress", "building the indexes", "following the head", "blocksPerSecond=", "eventsPerSecond=", "left="} {
		if !strings.Contains(log.buf.String(), line) {
			t.Errorf("got the log\n%s\nwant %q in it", log.buf.String(), line)
		}
	}
}

func TestBackfillBeginsAtNothingAndCountsBlocksWithoutIndexesInPart(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sim.Config{Blocks: 40})
	leader := w.leader(w.loop("a"))
	w.catchUp(leader)
	if got := w.status().Backfill; got != nil {
		t.Errorf("got %+v after the backfill, want none", got)
	}
	block := *leader.at.Block
	leader.at.Ranges = []indexing.Range{{From: 0, To: 11, State: indexing.RangeReady}, {From: 11, State: indexing.RangeLoading}}
	leader.at.Block, leader.head.Number = &domain.BlockRef{Number: 10}, 50
	leader.beginBackfill()
	for _, step := range []struct {
		stored uint64 // the newest stored block
		ready  bool   // with its indexes
		want   chain.Backfill
	}{
		{10, false, chain.Backfill{From: 11, To: 50, Done: 0}},
		{30, false, chain.Backfill{From: 11, To: 50, Done: 15}},
		{50, false, chain.Backfill{From: 11, To: 50, Done: 30}},
		{50, true, chain.Backfill{From: 11, To: 50, Done: 40}},
	} {
		leader.at.Block.Number = step.stored
		if step.ready {
			leader.at.Ranges[1] = indexing.Range{From: 11, To: 51, State: indexing.RangeReady}
		}
		got := *leader.backfilled()
		if known := got.Left != nil; known != (got.Done > 0) {
			t.Errorf("block %d: got the estimate %v, want one after the first block", step.stored, got.Left)
		}
		if got.Left = nil; got != step.want {
			t.Errorf("block %d: got %+v, want %+v", step.stored, got, step.want)
		}
	}
	leader.at.Block = &block
	if err := leader.record(t.Context(), chain.Backfilling, nil); err != nil {
		t.Fatal(err)
	}
	if got := w.status().Backfill; got == nil || got.From != 11 {
		t.Errorf("got %+v in the status, want the backfill from block 11", got)
	}
}
