package pg_test

import (
	"context"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"

	"astrolabe/pg"
)

func TestStopIsSafeTwiceAndConcurrently(t *testing.T) {
	t.Parallel()
	dir := existing(t)
	server := start(t, pg.Options{Dir: dir})
	connect(t, server) // an open session does not delay it
	var callers sync.WaitGroup
	for range 4 {
		callers.Go(func() {
			if err := server.Stop(context.Background()); err != nil {
				t.Error(err)
			}
		})
	}
	callers.Wait()
	stop(t, server)
	select {
	case <-server.Done():
	default:
		t.Fatal("got Stop returned before Done was closed, want Done closed")
	}
	if err := server.Err(); err != nil {
		t.Fatalf("after Stop: got %v, want no error", err)
	}
	if _, err := os.Stat(dir + "/cluster/postmaster.pid"); err == nil {
		t.Fatal("got a PID file, want an orderly shutdown that removes it")
	}
}

func TestStopBecomesImmediateAfterItsTimeout(t *testing.T) {
	t.Parallel()
	dir := existing(t)
	var log record
	server := start(t, pg.Options{Dir: dir, Logger: log.logger()})
	execute(t, server, "CREATE TABLE kept AS SELECT 42 AS answer")
	conn := connect(t, server)
	backend := int(conn.PgConn().PID())
	if err := syscall.Kill(backend, syscall.SIGSTOP); err != nil { // a fast shutdown waits for it
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		await(func() bool { return strings.Contains(log.String(), "fast shutdown request") })
		cancel()
	}()
	if err := server.Stop(ctx); err != nil {
		t.Fatal(err)
	}
	if text := log.String(); !strings.Contains(text, "fast shutdown request") || !strings.Contains(text, "immediate shutdown request") {
		t.Fatalf("got the log\n%s\nwant a fast and then an immediate shutdown", text)
	}
	if got := value[int](t, start(t, pg.Options{Dir: dir}), "SELECT answer FROM kept"); got != 42 {
		t.Fatalf("after the immediate shutdown: got %d, want 42", got)
	}
}
