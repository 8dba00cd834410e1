package pg

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"
)

// Start creates the cluster if it is missing, starts the server and waits until
// it accepts the program. Recovery after a crash may take long; ctx limits it
// and matters only to Start. The errors that this package declares are returned
// before any data is changed; other errors quote Postgres.
func Start(ctx context.Context, o Options) (*Server, error) {
	began := time.Now()
	s := &Server{logger: o.Logger, done: make(chan struct{})}
	s.stopping, s.stop = context.WithCancel(context.Background())
	if s.logger == nil {
		s.logger = slog.New(slog.DiscardHandler)
	}
	if err := s.choose(ctx, o); err != nil {
		return nil, err
	}
	if err := s.folder.claim(s.account); err != nil {
		return nil, err
	}
	lock, err := s.folder.lock()
	if err != nil {
		return nil, err
	}
	s.lock = lock
	o.step("lock")
	if err := s.prepare(ctx, o); err != nil {
		s.release()
		return nil, err
	}
	p, err := s.launch()
	if err != nil {
		s.release()
		return nil, err
	}
	o.step("start")
	if err := s.awaitReady(ctx, p); err != nil {
		s.discard(p)
		s.release()
		return nil, err
	}
	go s.supervise(p, o)
	s.logger.Info("private Postgres server is ready", "folder", s.folder.root, "version", s.binaries.major,
		"took", time.Since(began).Round(time.Millisecond))
	o.step("ready")
	return s, nil
}

// choose determines the folder, the user and the programs. It changes nothing.
func (s *Server) choose(ctx context.Context, o Options) (err error) {
	if s.folder, err = resolveFolder(o.Dir); err != nil {
		return err
	}
	version, err := s.folder.version()
	if err != nil {
		return err
	}
	if s.account, err = chooseAccount(s.folder.cluster()); err != nil {
		return err
	}
	if err := s.account.reach(filepath.Dir(s.folder.root)); err != nil {
		return err
	}
	if s.binaries, err = findBinaries(ctx, o.BinDir, version); err != nil {
		return err
	}
	return s.account.reach(s.binaries.dir)
}

// prepare ensures a complete cluster that no process uses, and its settings.
// The lock is held.
func (s *Server) prepare(ctx context.Context, o Options) error {
	if err := s.folder.removeUnfinished(ctx); err != nil {
		return err
	}
	if _, err := os.Stat(s.folder.cluster()); err != nil {
		if err := s.makeCluster(ctx, o); err != nil {
			return err
		}
		o.step("initdb-done")
	} else if err := stopLeftover(ctx, s.folder.cluster(), s.logger); err != nil {
		return err
	}
	dir, err := s.folder.makeSocketFolder(s.account, s.logger)
	if err != nil {
		return err
	}
	s.socketDir = dir
	return s.folder.writeSettings(dir, o)
}

// awaitReady waits until postmaster.pid reports ready, so that the log has no
// rejected sessions from startup, and then opens a session.
func (s *Server) awaitReady(ctx context.Context, p *process) error {
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	for {
		file, err := readPIDFile(s.folder.cluster())
		if err == nil && file.ready && file.pid == p.cmd.Process.Pid {
			break
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for the private Postgres: %w", context.Cause(ctx))
		case <-p.exited:
			return fmt.Errorf("the private Postgres in %s did not start (%s)%s",
				s.folder.root, p.cmd.ProcessState, p.output.reason())
		case <-ticker.C:
		}
	}
	if err := handshake(ctx, s.socketDir); err != nil {
		return fmt.Errorf("open a session with the private Postgres: %w", err)
	}
	return nil
}

// release releases the folder.
func (s *Server) release() {
	if s.socketDir != "" {
		if err := s.folder.removeSocketFolder(); err != nil {
			s.logger.Warn("could not remove the socket folder", "error", err)
		}
	}
	_ = s.lock.Close() // no data can be lost
}

// discard stops a process that did not become ready.
func (s *Server) discard(p *process) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if gone := closed(p.exited); !gone() && !shutDown(ctx, p.cmd.Process, gone) {
		s.logger.Error("could not stop a Postgres server that did not become ready", "pid", p.cmd.Process.Pid)
	}
}
