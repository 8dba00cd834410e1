package pg_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"astrolabe/pg"
	"astrolabe/pg/pgtest"
)

// The environment that turns the test binary into a program that starts a
// server in a folder and is killed at a step.
const (
	childFolder = "PG_TEST_CHILD_FOLDER"
	childStep   = "PG_TEST_CHILD_STEP"
)

// The steps of the child besides those of Options.Step.
const (
	serving   = "serving"   // after a commit, with a query running
	panicking = "panicking" // by a panic
)

// dieAt is the child. Its umask is the strictest that a user may have.
func dieAt(dir, at string) {
	syscall.Umask(0o077)
	ctx := context.Background()
	server, err := pg.Start(ctx, pg.Options{Dir: dir, Settings: quick, Step: func(name string) {
		if name != at {
			return
		}
		if name == "initdb" {
			await(func() bool { // wait until it is in the middle of its work
				begun, _ := filepath.Glob(filepath.Join(dir, "cluster.unfinished-*", "global", "*"))
				return len(begun) > 0
			})
		}
		killMyself()
	}})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	conn, err := pgx.Connect(ctx, server.URL("postgres"))
	if err == nil {
		_, err = conn.Exec(ctx, "CREATE TABLE committed AS SELECT 1 AS row")
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	if at == panicking {
		panic("the program dies of a panic")
	}
	go func() { _, _ = conn.Exec(ctx, "SELECT count(*) FROM generate_series(1, 1e12)") }()
	killMyself()
}

func killMyself() {
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {}
}

// await polls a condition of another process or of its files, and returns false
// on a timeout.
func await(condition func() bool) bool {
	ticker, late := time.NewTicker(5*time.Millisecond), time.After(time.Minute)
	defer ticker.Stop()
	for !condition() {
		select {
		case <-ticker.C:
		case <-late:
			return false
		}
	}
	return true
}

// killProgram runs the child and checks that it was killed at the step. Reading
// from the returned pipe ends when all that the child has started has ended.
func killProgram(t *testing.T, dir, at string) *os.File {
	t.Helper()
	descendants, inherited, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = descendants.Close() })
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childFolder+"="+dir, childStep+"="+at)
	child.ExtraFiles = []*os.File{inherited}
	output, err := child.CombinedOutput()
	_ = inherited.Close()
	status, _ := child.ProcessState.Sys().(syscall.WaitStatus)
	died := status.Signal() == syscall.SIGKILL
	if at == panicking {
		died = strings.Contains(string(output), "the program dies of a panic")
	}
	if !died {
		t.Fatalf("got the child ended with %v, want it killed: %s", err, output)
	}
	return descendants
}

func TestKillAtAnyStepLeavesAFolderThatStarts(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"lock", "initdb", "initdb-done", "start", "ready", serving, panicking} {
		t.Run("new folder/"+at, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(pgtest.Dir(t), "new", "data")
			killProgram(t, dir, at)
			server := start(t, pg.Options{Dir: dir})
			if got := value[int](t, server, "SELECT 1"); got != 1 {
				t.Fatalf("got %d, want 1", got)
			}
			if at == serving || at == panicking {
				if got := value[int](t, server, "SELECT count(*) FROM committed"); got != 1 {
					t.Fatalf("got %d committed rows, want 1", got)
				}
			}
			if left, _ := filepath.Glob(filepath.Join(dir, "cluster.unfinished-*")); len(left) > 0 {
				t.Fatalf("got %v left behind, want nothing", left)
			}
		})
	}
	for _, at := range []string{"lock", "start", "ready"} {
		t.Run("existing folder/"+at, func(t *testing.T) {
			t.Parallel()
			dir := existing(t)
			server := start(t, pg.Options{Dir: dir})
			execute(t, server, "CREATE TABLE kept AS SELECT 42 AS answer")
			stop(t, server)
			killProgram(t, dir, at)
			if got := value[int](t, start(t, pg.Options{Dir: dir}), "SELECT answer FROM kept"); got != 42 {
				t.Fatalf("after the kill: got %d, want 42", got)
			}
		})
	}
}

func TestServerEndsWithTheProgramOnLinux(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux notifies a process when its parent ends")
	}
	for _, at := range []string{"ready", serving, panicking} {
		t.Run(at, func(t *testing.T) {
			t.Parallel()
			dir := existing(t)
			descendants := killProgram(t, dir, at)
			if err := descendants.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
				t.Fatal(err)
			}
			if _, err := io.ReadAll(descendants); err != nil {
				t.Fatalf("got %v, want the server ended", err)
			}
			if _, err := os.Stat(filepath.Join(dir, "cluster", "postmaster.pid")); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("got %v for the server's PID file, want it removed", err)
			}
		})
	}
}

// leaveBehind starts a server as a killed program on another system would
// leave it: running, without its parent.
func leaveBehind(t *testing.T, dir string) (pid int) {
	t.Helper()
	server := start(t, pg.Options{Dir: dir})
	programs := value[string](t, server, "SELECT setting FROM pg_config WHERE name = 'BINDIR'")
	stop(t, server)
	socket := filepath.Join(dir, "socket")
	if err := os.Mkdir(socket, 0o700); err != nil {
		t.Fatal(err)
	}
	cluster, err := os.Stat(filepath.Join(dir, "cluster"))
	if err != nil {
		t.Fatal(err)
	}
	owner := cluster.Sys().(*syscall.Stat_t)
	orphan := exec.Command(filepath.Join(programs, "postgres"), "-D", filepath.Join(dir, "cluster"),
		"-c", "config_file="+filepath.Join(dir, "postgresql.conf"))
	orphan.Dir = "/"
	if os.Geteuid() == 0 {
		if err := os.Chown(socket, int(owner.Uid), int(owner.Gid)); err != nil {
			t.Fatal(err)
		}
		orphan.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: owner.Uid, Gid: owner.Gid}}
	}
	if err := orphan.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { _ = orphan.Wait(); close(ended) }()
	t.Cleanup(func() { _ = orphan.Process.Kill(); <-ended })
	if !await(func() bool { return strings.Contains(readPIDFile(dir), "ready") }) {
		t.Fatal("got no orphaned server within the time limit, want it ready")
	}
	return orphan.Process.Pid
}

func readPIDFile(dir string) string {
	content, _ := os.ReadFile(filepath.Join(dir, "cluster", "postmaster.pid"))
	return string(content)
}

func TestOrphanedServerIsStopped(t *testing.T) {
	t.Parallel()
	dir := existing(t)
	pid := leaveBehind(t, dir)
	var log record
	server := start(t, pg.Options{Dir: dir, Logger: log.logger()})
	if !strings.Contains(log.String(), fmt.Sprintf("left by an earlier run\" pid=%d", pid)) {
		t.Fatalf("got the log\n%s\nwant process %d in it", log.String(), pid)
	}
	if got := value[string](t, server, "SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1)"); got == strconv.Itoa(pid) {
		t.Fatalf("got process %d as the server, want a new one", pid)
	}
}

func TestSessionsOfADeadServerAreEnded(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("elsewhere Postgres refuses to start until they have ended")
	}
	dir := existing(t)
	server := start(t, pg.Options{Dir: dir})
	conn := connect(t, server)
	busy := make(chan error)
	go func() {
		_, err := conn.Exec(context.Background(), "SELECT count(*) FROM generate_series(1, 1e12)")
		busy <- err
	}()
	running := "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%generate_series(1, 1e12)' AND pid <> pg_backend_pid()"
	if !await(func() bool { return value[int](t, server, running) == 1 }) {
		t.Fatal("got no running query within the time limit, want it running")
	}
	postmaster, err := strconv.Atoi(strings.SplitN(readPIDFile(dir), "\n", 2)[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(postmaster, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-server.Done()
	if err := server.Err(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Fatalf("got %v, want an error that says killed", err)
	}
	start(t, pg.Options{Dir: dir})
	if err := <-busy; err == nil {
		t.Fatal("got a session of the dead server that continued, want an error")
	}
}

func TestUnrelatedProcessWithTheServersOldPIDIsNotStopped(t *testing.T) {
	t.Parallel()
	dir := existing(t)
	stranger := exec.Command("sleep", "60")
	info, err := os.Stat(filepath.Join(dir, "cluster"))
	if err != nil {
		t.Fatal(err)
	}
	owner := info.Sys().(*syscall.Stat_t)
	if os.Geteuid() == 0 { // Postgres is misled only by a process of its own user
		stranger.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: owner.Uid, Gid: owner.Gid}}
	}
	stranger.Dir = "/"
	if err := stranger.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { _ = stranger.Wait(); close(ended) }()
	t.Cleanup(func() { _ = stranger.Process.Kill(); <-ended })
	stale := fmt.Sprintf("%d\n%s\n1700000000\n5432\n%s\n\n  123456 7\nready   \n",
		stranger.Process.Pid, filepath.Join(dir, "cluster"), filepath.Join(dir, "socket"))
	pidFile := filepath.Join(dir, "cluster", "postmaster.pid")
	write(t, pidFile, stale)
	if err := os.Chown(pidFile, int(owner.Uid), int(owner.Gid)); err != nil {
		t.Fatal(err)
	}
	start(t, pg.Options{Dir: dir})
	select {
	case <-ended:
		t.Fatal("got the unrelated process ended, want it running")
	default:
	}
}
