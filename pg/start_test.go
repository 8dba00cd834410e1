package pg_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"astrolabe/pg"
	"astrolabe/pg/pgtest"
)

func TestNewClusterIsDurableDeterministicAndNotOnTheNetwork(t *testing.T) {
	t.Parallel()
	server := start(t, pg.Options{Dir: pgtest.Dir(t), Settings: map[string]string{}})
	conn := connect(t, server)
	for setting, want := range map[string]string{
		"server_encoding": "UTF8", "lc_collate": "C", "lc_ctype": "C", "data_checksums": "on",
		"fsync": "on", "synchronous_commit": "on", "full_page_writes": "on",
		"listen_addresses": "", "jit": "off", "standard_conforming_strings": "on", "TimeZone": "UTC",
	} {
		var got string
		if err := conn.QueryRow(t.Context(), "SELECT current_setting($1)", setting).Scan(&got); err != nil {
			t.Fatal(err)
		}
		if got != want {
			t.Errorf("%s is %q, want %q", setting, got, want)
		}
	}
}

func TestDataSurvivesARestart(t *testing.T) {
	t.Parallel()
	dir := pgtest.Dir(t)
	server := start(t, pg.Options{Dir: dir})
	execute(t, server, "CREATE TABLE kept AS SELECT 42 AS answer")
	stop(t, server)
	if got := value[int](t, start(t, pg.Options{Dir: dir}), "SELECT answer FROM kept"); got != 42 {
		t.Fatalf("after the restart: got %d, want 42", got)
	}
}

func TestSettingsAreRewrittenOnEachStart(t *testing.T) {
	t.Parallel()
	dir := existing(t)
	odd := "it's a \\ and\na line"
	first := start(t, pg.Options{Dir: dir, Settings: map[string]string{"fsync": "off", "work_mem": "7MB", "astrolabe.note": odd}})
	if got := value[string](t, first, "SHOW work_mem"); got != "7MB" {
		t.Fatalf("got work_mem %s, want 7MB", got)
	}
	if got := value[string](t, first, "SHOW astrolabe.note"); got != odd {
		t.Fatalf("got the setting %q, want %q", got, odd)
	}
	stop(t, first)
	second := start(t, pg.Options{Dir: dir})
	if got := value[string](t, second, "SHOW work_mem"); got == "7MB" {
		t.Fatal("got work_mem of the first start, want the default")
	}
}

func TestSocketIsAccessibleOnlyToTheServersUser(t *testing.T) {
	t.Parallel()
	dir := pgtest.Dir(t)
	start(t, pg.Options{Dir: dir})
	for _, name := range []string{"socket", "socket/.s.PGSQL.5432", "cluster"} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if mode := info.Mode().Perm(); mode != 0o700 {
			t.Errorf("%s: got mode %o, want 700", name, mode)
		}
	}
}

func TestAnotherUserIsRejectedEvenOnAnAccessibleSocket(t *testing.T) {
	t.Parallel()
	needRoot(t)
	psql, err := exec.LookPath("psql")
	if err != nil {
		t.Skip("psql, as which another user would call, is not installed")
	}
	dir := existing(t)
	server := start(t, pg.Options{Dir: dir})
	for _, path := range []string{dir, filepath.Join(dir, "socket"), filepath.Join(dir, "socket/.s.PGSQL.5432")} {
		if err := os.Chmod(path, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	call := exec.Command(psql, server.URL("postgres"), "-c", "SELECT 1")
	call.Dir = "/"
	call.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	output, err := call.CombinedOutput()
	if err == nil || !strings.Contains(string(output), "Peer authentication failed") {
		t.Fatalf("session of another user: got %v and %s, want a failed authentication", err, output)
	}
}

func TestLongPathGetsAShortTemporarySocketFolder(t *testing.T) {
	t.Parallel()
	var log record
	dir := filepath.Join(pgtest.Dir(t), strings.Repeat("long", 30))
	server := start(t, pg.Options{Dir: dir, Logger: log.logger()})
	socket := value[string](t, server, "SHOW unix_socket_directories")
	if strings.HasPrefix(socket, dir) || !strings.Contains(log.String(), socket) {
		t.Fatalf("got the socket folder %s, want one outside of %s that the log names: %s", socket, dir, log.String())
	}
	if info, err := os.Stat(socket); err != nil || info.Mode().Perm() != 0o700 {
		t.Fatalf("short socket folder: got %v and %v, want mode 700", info, err)
	}
	stop(t, server)
	if _, err := os.Stat(socket); err == nil {
		t.Fatalf("got %s left behind, want it removed", socket)
	}
}

func TestSymbolicLinkInThePathIsFollowed(t *testing.T) {
	t.Parallel()
	base := pgtest.Dir(t)
	closed := filepath.Join(base, "closed")
	if err := os.Mkdir(closed, 0o700); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(closed, "link") // other users cannot traverse it
	if err := os.Symlink(base, link); err != nil {
		t.Fatal(err)
	}
	server := start(t, pg.Options{Dir: filepath.Join(link, "new", "data")})
	resolved, err := filepath.EvalSymlinks(filepath.Join(base, "new", "data", "cluster"))
	if err != nil {
		t.Fatal(err)
	}
	if got := value[string](t, server, "SHOW data_directory"); got != resolved {
		t.Fatalf("the cluster is in %s, want %s", got, resolved)
	}
}

func TestRootRunsTheServerAsAnotherUser(t *testing.T) {
	t.Parallel()
	needRoot(t)
	dir := pgtest.Dir(t)
	server := start(t, pg.Options{Dir: dir})
	conn := connect(t, server)
	var uid string
	_, err := conn.Exec(t.Context(), "CREATE TEMP TABLE who (uid text); COPY who FROM PROGRAM 'id -u'")
	if err == nil {
		err = conn.QueryRow(t.Context(), "SELECT uid FROM who").Scan(&uid)
	}
	if err != nil || uid == "0" || uid == "" {
		t.Fatalf("got the server's user %q and %v, want another than root", uid, err)
	}
	for name, want := range map[string]bool{"": true, "private-postgres.lock": true, "postgresql.conf": true, "cluster": false} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Sys().(*syscall.Stat_t).Uid == 0; got != want {
			t.Errorf("%q belongs to root: %v, want %v", name, got, want)
		}
	}
}

func TestServerDoesNotInheritTheEnvironment(t *testing.T) {
	t.Parallel()
	conn := connect(t, start(t, pg.Options{Dir: existing(t)}))
	if _, err := conn.Exec(t.Context(), "CREATE TEMP TABLE seen (line text); COPY seen FROM PROGRAM 'env'"); err != nil {
		t.Fatal(err)
	}
	var lines, secrets int
	err := conn.QueryRow(t.Context(), "SELECT count(*), count(*) FILTER (WHERE line LIKE $1) FROM seen", "%"+markedSecret+"%").Scan(&lines, &secrets)
	if err != nil || lines == 0 || secrets != 0 {
		t.Fatalf("got %d lines with %d secrets and %v, want some lines without secrets", lines, secrets, err)
	}
}

func TestLogContainsNoValuesOfAFailedStatement(t *testing.T) {
	t.Parallel()
	var log record
	server := start(t, pg.Options{Dir: existing(t), Logger: log.logger()})
	execute(t, server, "CREATE TABLE keys (name text PRIMARY KEY); INSERT INTO keys VALUES ('"+markedSecret+"')")
	for _, failing := range []string{
		"INSERT INTO keys VALUES ('" + markedSecret + "')",
		"SELECT '" + markedSecret + "'::int",
		"SELECT E'first\\n" + markedSecret + "'::int",
	} {
		if _, err := connect(t, server).Exec(t.Context(), failing); err == nil {
			t.Fatalf("%s: got no error, want one", failing)
		}
	}
	execute(t, server, "DO $$ BEGIN RAISE WARNING 'page verification'; END $$")
	stop(t, server)
	if text := log.String(); strings.Contains(text, markedSecret) || !strings.Contains(text, "page verification") {
		t.Fatalf("got the log\n%s\nwant the error without its values", text)
	}
}

func TestFailedStartReportsTheReasonAndReleasesTheFolder(t *testing.T) {
	t.Parallel()
	dir := existing(t)
	_, err := pg.Start(t.Context(), pg.Options{Dir: dir, Settings: map[string]string{"fsync": "off", "max_connections": "-3"}})
	if err == nil || !strings.Contains(err.Error(), `"max_connections"`) {
		t.Fatalf("got %v, want an error that names max_connections", err)
	}
	start(t, pg.Options{Dir: dir})
}

func TestCancelledStartCleansUp(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"initdb", "start"} {
		t.Run(at, func(t *testing.T) {
			t.Parallel()
			dir := pgtest.Dir(t)
			ctx, cancel := context.WithCancel(t.Context())
			_, err := pg.Start(ctx, pg.Options{Dir: dir, Settings: quick, Step: func(name string) {
				if name == at {
					cancel()
				}
			}})
			if err == nil || ctx.Err() == nil {
				t.Fatalf("got %v, want the start cancelled", err)
			}
			if left, _ := filepath.Glob(filepath.Join(dir, "cluster.unfinished-*")); len(left) > 0 {
				t.Fatalf("got %v left behind, want nothing", left)
			}
			start(t, pg.Options{Dir: dir})
		})
	}
}

func BenchmarkStartFromNothing(b *testing.B) {
	for b.Loop() {
		startAndStop(b, pgtest.Dir(b))
	}
}

func BenchmarkStartOfAnExistingFolder(b *testing.B) {
	dir := pgtest.Dir(b)
	startAndStop(b, dir)
	for b.Loop() {
		startAndStop(b, dir)
	}
}

// startAndStop keeps the durable settings and does not time the stop.
func startAndStop(b *testing.B, dir string) {
	b.Helper()
	server, err := pg.Start(b.Context(), pg.Options{Dir: dir})
	if err != nil {
		b.Fatal(err)
	}
	b.StopTimer()
	stop(b, server)
	b.StartTimer()
}
