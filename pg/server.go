package pg

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"sync/atomic"
	"time"
)

// Options configure a private server. Only Dir is required.
type Options struct {
	// Dir is the data folder. It is created if missing, is used by one program
	// at a time, and belongs to the user of the program.
	Dir string
	// BinDir holds the programs initdb and postgres. If empty, PATH and the
	// usual folders of distributions are searched.
	BinDir string
	// Logger receives the server's messages; nil drops them.
	Logger *slog.Logger
	// Settings override the configuration of the server.
	Settings map[string]string
	// PasswordRoles are roles that log in with a password, and never without one.
	// The caller creates them with SQL and sets their passwords.
	PasswordRoles []string
	// Restart makes the server start again when it exits by itself: at once, then
	// after growing delays. After maxFailures in a row the server gives up, unless
	// the disk is full: it then waits for space.
	Restart bool
	// Step is called when startup reaches "lock", "initdb" (running),
	// "initdb-done", "start" (the server runs) and "ready". Tests kill the
	// program there.
	Step func(name string)

	pause func(failures int) time.Duration // before a restart; nil means restartPause
}

func (o Options) step(name string) {
	if o.Step != nil {
		o.Step(name)
	}
}

// Server is a running private Postgres.
type Server struct {
	folder    folder
	account   account
	binaries  binaries
	socketDir string
	logger    *slog.Logger
	lock      *os.File

	process  atomic.Pointer[process] // the current one
	stopping context.Context         // ends when Stop is called
	stop     context.CancelFunc
	done     chan struct{}
	err      error // written before done is closed
}

// URL returns the URL of a database of the server for its superuser, through
// its socket. The database postgres always exists; the caller creates others.
func (s *Server) URL(database string) string { return s.url(database, url.User(superuser)) }

// ServiceURL is URL for the role that the program works as.
func (s *Server) ServiceURL(database string) string { return s.url(database, url.User(ServiceRole)) }

// PasswordURL is URL for one of Options.PasswordRoles. It holds the password, so
// pass it on through an environment, never as an argument.
func (s *Server) PasswordURL(database, role, password string) string {
	return s.url(database, url.UserPassword(role, password))
}

func (s *Server) url(database string, who *url.Userinfo) string {
	address := url.URL{
		Scheme:   "postgres",
		User:     who,
		Path:     "/" + database,
		RawQuery: url.Values{"host": {s.socketDir}, "port": {port}}.Encode(),
	}
	return address.String()
}

// Stop stops the server: it disconnects sessions and writes a checkpoint. If
// ctx ends first, the server is stopped immediately and the next start replays
// its log; nothing committed is lost. Stop may be called repeatedly and
// concurrently, and returns when the server has exited and the folder is free.
func (s *Server) Stop(ctx context.Context) error {
	s.stop()
	server := s.process.Load().cmd.Process // a restart that is under way ends its own
	if gone := closed(s.done); !gone() && !shutDown(ctx, server, gone) {
		return fmt.Errorf("the private Postgres (process %d) does not stop", server.Pid)
	}
	return nil
}

// closed returns a function that reports whether a channel is closed.
func closed(c <-chan struct{}) func() bool {
	return func() bool {
		select {
		case <-c:
			return true
		default:
			return false
		}
	}
}

// Done is closed when the server has exited for good and the folder is free.
func (s *Server) Done() <-chan struct{} { return s.done }

// Err returns why the server exited by itself and was not started again. It is
// nil while the server runs and after Stop.
func (s *Server) Err() error {
	select {
	case <-s.done:
		return s.err
	default:
		return nil
	}
}
