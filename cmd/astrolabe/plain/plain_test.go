package plain

import (
	"context"
	"fmt"
	"net"
	"os"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"astrolabe/domain"
	"astrolabe/repo"
)

func TestErrorsOfTheSystemAreSaidInPlainWords(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	_, inUse := net.Listen("tcp", taken.Addr().String())
	_, absent := os.Open("/nowhere/file")
	_, unreachable := pgconn.Connect(t.Context(), "postgres://a@127.0.0.1:1/b")
	_, unresolved := pgconn.Connect(t.Context(), "postgres://a@nowhere.invalid/b")
	_, stopped := pgconn.Connect(t.Context(), "postgres:///b?host=/nowhere&user=a")
	refused := &pgconn.PgError{Severity: "ERROR", Code: "42501", Message: "permission denied for schema public"}
	for want, err := range map[string]error{
		"--addr: " + taken.Addr().String() + " is in use by another process": fmt.Errorf("--addr: %w", inUse),
		"read a secret: /nowhere/file does not exist":                        fmt.Errorf("read a secret: %w", absent),
		"ask the node: there was no answer in time":                          fmt.Errorf("ask the node: %w", context.DeadlineExceeded),
		"The limit is 5.":                                    domain.Errorf(domain.CodeInvalidRequest, "The limit is %d.", 5),
		"127.0.0.1:1 does not accept connections":            repo.Outage(unreachable),
		"the server at /nowhere does not accept connections": repo.Outage(stopped),
		"nowhere.invalid:5432 cannot be reached: the host name nowhere.invalid cannot be resolved": unresolved,
		"read: the database says: permission denied for schema public":                             fmt.Errorf("read: %w", refused),
		"one line": fmt.Errorf("one\nline"),
	} {
		if got := Message(err); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
