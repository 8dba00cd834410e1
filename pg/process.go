package pg

import (
	"context"
	"fmt"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// process is one run of the server.
type process struct {
	cmd    *exec.Cmd
	output *serverLog
	began  time.Time
	exited chan struct{}
}

// launch starts a process on a dedicated thread that lives as long as the
// process, because the kernel treats the end of that thread as the end of the
// program.
func (s *Server) launch() (*process, error) {
	p := &process{output: &serverLog{logger: s.logger}, began: time.Now(), exited: make(chan struct{})}
	p.cmd = s.account.command(context.Background(), s.binaries.postgres(), "-D", s.folder.cluster(),
		"-c", "config_file="+s.folder.config(), "-c", "log_line_prefix="+logPrefix)
	p.cmd.Stderr = p.output
	p.cmd.WaitDelay = 500 * time.Millisecond // sessions may outlive a killed server
	endWithProgram(p.cmd.SysProcAttr, syscall.SIGINT)
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := p.cmd.Start()
		started <- err
		if err != nil {
			return
		}
		_ = p.cmd.Wait() // the process state is checked instead
		close(p.exited)
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start Postgres as user %s: %w", s.account.name, err)
	}
	s.process.Store(p)
	return p, nil
}

// failure returns why a process exited that nobody stopped.
func (p *process) failure() error {
	return fmt.Errorf("the private Postgres server exited unexpectedly (%s)%s", p.cmd.ProcessState, p.output.reason())
}
