package pg

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"os/exec"
	"sync/atomic"
)

// Options says where and how a private server runs. Only Dir is needed.
type Options struct {
	// Dir is the data folder. It is created when missing, is used by one
	// program at a time, and belongs to the program's user.
	Dir string
	// BinDir holds the programs initdb and postgres. When it is empty they are
	// looked for on PATH and then where packages put them.
	BinDir string
	// Logger receives the server's messages; nil drops them.
	Logger *slog.Logger
	// Settings are added to the server's configuration and win over it.
	Settings map[string]string
	// Step is told when start-up reaches "lock", "initdb" (it runs),
	// "initdb-done", "start" (the server runs) and "ready". Tests die there.
	Step func(name string)
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
	output    *serverLog
	cmd       *exec.Cmd
	lock      *os.File

	stopping atomic.Bool
	done     chan struct{}
	err      error // written before done is closed
}

// URL answers how to reach a database of the server through its socket. The
// database postgres is always there; others are the caller's to create.
func (s *Server) URL(database string) string {
	address := url.URL{
		Scheme:   "postgres",
		User:     url.User(superuser),
		Path:     "/" + database,
		RawQuery: url.Values{"host": {s.socketDir}, "port": {port}}.Encode(),
	}
	return address.String()
}

// Stop ends the server: its sessions are cut off and a checkpoint is written.
// When ctx ends first, the server is ended at once and the next start replays
// its log; nothing committed is lost. Stop may be called often and from many
// goroutines, and returns when the server is gone and the folder is free.
func (s *Server) Stop(ctx context.Context) error {
	s.stopping.Store(true)
	gone := func() bool {
		select {
		case <-s.done:
			return true
		default:
			return false
		}
	}
	if !gone() && !shutDown(ctx, s.cmd.Process, gone) {
		return fmt.Errorf("the private Postgres (process %d) does not stop", s.cmd.Process.Pid)
	}
	return nil
}

// Done is closed when the server has ended and the folder is free.
func (s *Server) Done() <-chan struct{} { return s.done }

// Err says why the server ended by itself. It is nil while the server runs and
// after Stop.
func (s *Server) Err() error {
	select {
	case <-s.done:
		return s.err
	default:
		return nil
	}
}
