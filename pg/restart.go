package pg

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"time"
)

// maxFailures is the number of failures in a row after which the server is not
// started again. With the pauses, they take two and a half minutes.
const maxFailures = 10

// steadyTime is how long a server must run for its next failure to count as the
// first one.
const steadyTime = time.Minute

// longestPause is the longest pause between two starts.
const longestPause = 30 * time.Second

// restartPause is the pause before a restart: none after a first failure, then
// one second, doubled with each failure.
func restartPause(failures int) time.Duration {
	if failures <= 1 {
		return 0
	}
	return min(longestPause, time.Second<<min(failures-2, 10))
}

// supervise waits for the end of the server. It starts a server again that exits
// by itself, if the options say so, and releases the folder at the end.
func (s *Server) supervise(p *process, o Options) {
	defer close(s.done)
	defer s.release()
	failures := 0
	for {
		<-p.exited
		if s.stopping.Err() != nil {
			return
		}
		if time.Since(p.began) > steadyTime {
			failures = 0
		}
		next, failed, err := s.revive(p.failure(), failures, o)
		if next == nil {
			s.err = err
			return
		}
		p, failures = next, failed
	}
}

// revive starts the server again until it is ready. It returns no process if the
// server is stopped meanwhile, and an error if it gives up.
func (s *Server) revive(cause error, failures int, o Options) (*process, int, error) {
	for s.stopping.Err() == nil {
		failures++
		switch {
		case !o.Restart:
			return nil, failures, cause
		case failures >= maxFailures && !s.isFull(cause):
			return nil, failures, fmt.Errorf("the private Postgres server failed %d times in a row and is not started again: %w", failures, cause)
		}
		pause := o.restartPause(failures)
		s.logger.Error("private Postgres server failed; starting it again", "failures", failures, "pause", pause, "error", cause)
		timer := time.NewTimer(pause)
		select {
		case <-s.stopping.Done():
			timer.Stop()
			return nil, failures, nil
		case <-timer.C:
		}
		p, err := s.relaunch()
		if err == nil {
			s.logger.Info("private Postgres server is ready again", "took", time.Since(p.began).Round(time.Millisecond))
			return p, failures, nil
		}
		cause = err
	}
	return nil, failures, nil
}

func (o Options) restartPause(failures int) time.Duration {
	if o.pause != nil {
		return o.pause(failures)
	}
	return restartPause(failures)
}

// relaunch starts a process in the folder of one that has exited. The lock, the
// settings and the folder of the socket remain, and so does the URL.
func (s *Server) relaunch() (*process, error) {
	if err := stopLeftover(s.stopping, s.folder.cluster(), s.logger); err != nil {
		return nil, err
	}
	for _, stale := range []string{socketPath(s.socketDir), socketPath(s.socketDir) + ".lock"} {
		if err := os.Remove(stale); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("remove the socket of the earlier server: %w", err)
		}
	}
	p, err := s.launch()
	if err != nil {
		return nil, err
	}
	if err := s.awaitReady(s.stopping, p); err != nil {
		s.discard(p)
		return nil, err
	}
	return p, nil
}

// walSegment is the size of the files of the server's log. A server may need a
// new one to start.
const walSegment = 16 << 20

// isFull reports whether a failure is due to a full disk. The words of the
// failure alone do not tell: Postgres may complain about a short write.
func (s *Server) isFull(cause error) bool {
	if errors.Is(cause, syscall.ENOSPC) || strings.Contains(cause.Error(), "No space left on device") {
		return true
	}
	free, known := freeSpace(s.folder.cluster())
	return known && free < walSegment
}
