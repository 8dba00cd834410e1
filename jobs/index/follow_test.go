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
	deadline := time.Now().Add(time.Minute)
	for {
		status := w.status()
		if status.Coverage != nil && status.Coverage.Last == w.sim.Head().Header.BlockNumber {
			return
		}
		if time.Now().After(deadline) {
			w.Fatalf("timed out with the status %+v, want coverage up to block %d", status, w.sim.Head().Header.BlockNumber)
		}
		time.Sleep(5 * time.Millisecond)
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
	p := newProgress(loop, leader.at.Ranges[0], 10, 50)
	p.silent, p.started, p.reported = false, time.Now().Add(-2*time.Second), time.Now().Add(-time.Hour)
	p.add(20, 200)
	now := p.now()
	if now.Block != 29 || now.Head != 50 || now.BlocksPerSecond < 9 || now.BlocksPerSecond > 10 || now.EventsPerSecond < 90 || now.Left != 2*time.Second {
		t.Errorf("got %+v, want block 29 of 50 at 10 blocks and 100 events per second, 2 s left", now)
	}
	for _, line := range []string{"backfill started", "backfill in progress", "building the indexes", "following the head", "blocksPerSecond=", "eventsPerSecond=", "left="} {
		if !strings.Contains(log.buf.String(), line) {
			t.Errorf("got the log\n%s\nwant %q in it", log.buf.String(), line)
		}
	}
}
