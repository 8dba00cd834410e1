package pg_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"astrolabe/pg"
)

// builderRole is a role with a password.
const builderRole = "astrolabe_builder"

// startWithPassword runs a server with the role, whose password is "right".
func startWithPassword(t *testing.T, dir string) *pg.Server {
	t.Helper()
	server := start(t, pg.Options{Dir: dir, PasswordRoles: []string{builderRole, "astrolabe_controller"}})
	execute(t, server, "CREATE ROLE "+builderRole+" LOGIN PASSWORD 'right'; CREATE ROLE astrolabe_controller LOGIN; CREATE ROLE "+pg.ServiceRole+" LOGIN")
	return server
}

// login returns the SQLSTATE of a refused session, "" for one that was accepted.
func login(t *testing.T, url string) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if refused, ok := errors.AsType[*pgconn.PgError](err); ok {
		return refused.Code
	} else if err != nil {
		return err.Error()
	}
	if err := conn.Close(t.Context()); err != nil {
		t.Error(err)
	}
	return ""
}

func TestPasswordRolesLogInWithTheirPasswordOnly(t *testing.T) {
	t.Parallel()
	server := startWithPassword(t, existing(t))
	const wrongPassword, notMapped = "28P01", "28000"
	for url, want := range map[string]string{
		server.PasswordURL("postgres", builderRole, "right"):            "",
		server.PasswordURL("postgres", builderRole, "wrong"):            wrongPassword,
		server.PasswordURL("postgres", builderRole, ""):                 wrongPassword,
		server.PasswordURL("postgres", "astrolabe_controller", "right"): wrongPassword, // it has none
		server.URL("postgres"):                                          "",
		server.ServiceURL("postgres"):                                   "",
		server.PasswordURL("postgres", "another", "right"):              notMapped, // peer
	} {
		if got := login(t, url); got != want {
			t.Errorf("%s: got %q, want %q", url, got, want)
		}
	}
}

func TestAnotherUserNeedsThePasswordEvenOnAnAccessibleSocket(t *testing.T) {
	t.Parallel()
	needRoot(t)
	psql, err := exec.LookPath("psql")
	if err != nil {
		t.Skip("psql, as which another user would call, is not installed")
	}
	dir := existing(t)
	server := startWithPassword(t, dir)
	call := func(url string) string {
		cmd := exec.Command(psql, "-w", url, "-Atc", "SELECT current_user")
		cmd.Dir = "/"
		// As which Postgres never runs, unlike nobody.
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65533, Gid: 65533}}
		output, _ := cmd.CombinedOutput() // which says whether it failed
		return string(output)
	}
	if got := call(server.PasswordURL("postgres", builderRole, "right")); !strings.Contains(got, "Permission denied") {
		t.Errorf("closed socket: got %q, want permission denied", got)
	}
	for _, path := range []string{dir, filepath.Join(dir, "socket"), filepath.Join(dir, "socket/.s.PGSQL.5432")} {
		if err := os.Chmod(path, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for url, want := range map[string]string{
		server.PasswordURL("postgres", builderRole, ""):      "no password supplied",
		server.PasswordURL("postgres", builderRole, "wrong"): "password authentication failed",
		server.URL("postgres"):                               "Peer authentication failed",
		server.ServiceURL("postgres"):                        "Peer authentication failed",
	} {
		if got := call(url); !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want %q", url, got, want)
		}
	}
}
