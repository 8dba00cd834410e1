package pg_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"astrolabe/pg"
	"astrolabe/pg/pgtest"
)

// killServer kills the server of a folder and returns its process id.
func killServer(t *testing.T, dir string) int {
	t.Helper()
	postmaster, err := strconv.Atoi(strings.SplitN(readPIDFile(dir), "\n", 2)[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(postmaster, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	return postmaster
}

// answers reports whether a server accepts sessions under a URL.
func answers(url string) bool {
	conn, err := pgx.Connect(context.Background(), url)
	if err != nil {
		return false
	}
	_ = conn.Close(context.Background())
	return true
}

// TestKilledServerIsStartedAgainUnderItsURL also holds for a folder whose path
// is too long for a socket.
func TestKilledServerIsStartedAgainUnderItsURL(t *testing.T) {
	t.Parallel()
	for name, below := range map[string]string{"short path": "data", "long path": strings.Repeat("long", 30)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(pgtest.Dir(t), below)
			pgtest.Cluster(t, dir)
			server := start(t, pg.Options{Dir: dir, Restart: true})
			url := server.URL("postgres")
			execute(t, server, "CREATE TABLE kept AS SELECT 42 AS answer")
			for range 2 {
				killed := killServer(t, dir)
				if !await(func() bool { return !strings.HasPrefix(readPIDFile(dir), strconv.Itoa(killed)+"\n") && answers(url) }) {
					t.Fatal("got no answer within the time limit, want the server started again")
				}
				if got := value[int](t, server, "SELECT answer FROM kept"); got != 42 || server.URL("postgres") != url {
					t.Errorf("got %d at %s, want 42 at %s", got, server.URL("postgres"), url)
				}
			}
			stop(t, server)
			if err := server.Err(); err != nil || answers(url) {
				t.Errorf("after Stop: got %v, want no error and no server", err)
			}
		})
	}
}

// breakCluster removes a file without which no server starts.
func breakCluster(t *testing.T, dir string) {
	t.Helper()
	if err := os.Remove(filepath.Join(dir, "cluster", "global", "pg_control")); err != nil {
		t.Fatal(err)
	}
}

func TestServerThatKeepsFailingGivesUpWithItsReason(t *testing.T) {
	t.Parallel()
	dir := existing(t)
	var log record
	server := start(t, pg.Options{Dir: dir, Restart: true, Logger: log.logger()}.WithPause(0))
	breakCluster(t, dir)
	killServer(t, dir)
	<-server.Done()
	want := fmt.Sprintf("failed %d times in a row and is not started again", pg.MaxFailures)
	if err := server.Err(); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "pg_control") {
		t.Errorf("got %v, want %q and the words of Postgres", err, want)
	}
	if got := strings.Count(log.String(), "private Postgres server failed; starting it again"); got != pg.MaxFailures-1 {
		t.Errorf("got %d restarts in the log, want %d", got, pg.MaxFailures-1)
	}
}

func TestStopEndsAPendingRestart(t *testing.T) {
	t.Parallel()
	dir := existing(t)
	var log record
	server := start(t, pg.Options{Dir: dir, Restart: true, Logger: log.logger()}.WithPause(time.Hour))
	killServer(t, dir)
	if !await(func() bool { return strings.Contains(log.String(), "starting it again") }) {
		t.Fatal("got no restart in the log, want one")
	}
	stop(t, server)
	if err := server.Err(); err != nil {
		t.Errorf("got %v, want no error after Stop", err)
	}
	start(t, pg.Options{Dir: dir}) // the folder is free
}

func TestPausesBetweenRestartsGrow(t *testing.T) {
	t.Parallel()
	for i, want := range []time.Duration{0, 1, 2, 4, 8, 16, 30, 30} {
		if got := pg.RestartPause(i + 1); got != want*time.Second {
			t.Errorf("after %d failures: got %s, want %s", i+1, got, want*time.Second)
		}
	}
	if got := pg.RestartPause(1000); got != 30*time.Second {
		t.Errorf("after 1000 failures: got %s, want 30s", got)
	}
}

// TestServerWaitsForSpaceOnAFullDisk fills a small file system under a server,
// kills the server and frees the space again.
func TestServerWaitsForSpaceOnAFullDisk(t *testing.T) {
	t.Parallel()
	disk := filepath.Join(pgtest.Dir(t), "disk")
	if err := os.Mkdir(disk, 0o711); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=160m,mode=0711"); err != nil {
		t.Skipf("a small file system cannot be mounted here: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(disk, syscall.MNT_DETACH) })
	dir := filepath.Join(disk, "data")
	var log record
	server := start(t, pg.Options{Dir: dir, Restart: true, Logger: log.logger()}.WithPause(10*time.Millisecond))
	execute(t, server, "CREATE TABLE rows AS SELECT 42 AS answer")
	execute(t, server, "CREATE TABLE replayed (text text)") // recovery writes it before it drops it
	execute(t, server, "INSERT INTO replayed SELECT repeat('x', 1000) FROM generate_series(1, 30000)")
	execute(t, server, "DROP TABLE replayed")
	filler := fill(t, disk)

	_, err := connect(t, server).Exec(t.Context(), "INSERT INTO rows SELECT generate_series(1, 1000000)")
	if refused, ok := errors.AsType[*pgconn.PgError](err); !ok || refused.Code != "53100" {
		t.Errorf("write: got %v, want SQLSTATE 53100", err)
	}
	if got := value[int](t, server, "SELECT max(answer) FROM rows"); got != 42 {
		t.Errorf("read: got %d, want 42", got)
	}
	killServer(t, dir)
	if !await(func() bool { return strings.Contains(log.String(), fmt.Sprintf("failures=%d", pg.MaxFailures+2)) }) {
		t.Fatalf("got %s, want more than %d failures", log.String(), pg.MaxFailures)
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	if !await(func() bool { return answers(server.URL("postgres")) }) {
		t.Fatalf("got no server, want it started once there is space: %v", server.Err())
	}
	execute(t, server, "INSERT INTO rows SELECT 43")
	if got := value[int](t, server, "SELECT max(answer) FROM rows"); got != 43 {
		t.Errorf("after the space was freed: got %d, want 43", got)
	}
}

// fill writes a file until there is no space left.
func fill(t *testing.T, disk string) string {
	t.Helper()
	file, err := os.Create(filepath.Join(disk, "filler"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	for chunk := make([]byte, 4<<10); err == nil; {
		_, err = file.Write(chunk)
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("got %v, want a full disk", err)
	}
	return file.Name()
}
