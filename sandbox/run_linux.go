package sandbox

import (
	"cmp"
	"context"
	"io"
	"os/exec"
	"runtime"
	"time"
)

// Run runs a job and kills all of its processes before it returns. Its error is
//
//   - a *LimitError if a limit ended the program, or the program failed after reaching one,
//   - the cause of ctx if that ended,
//   - any other error if the program could not be run.
//
// A program that fails on its own is no error: see Result.ExitCode.
func (s *Sandbox) Run(ctx context.Context, job Job) (Result, error) {
	if err := job.check(); err != nil {
		return Result{}, err
	}
	if ctx.Err() != nil {
		return Result{}, context.Cause(ctx)
	}
	cmd, err := s.command(job)
	if err != nil {
		return Result{}, err
	}
	group, err := s.groups.create(job.Limits, s.without)
	if err != nil {
		return Result{}, err
	}
	defer group.remove()
	// Bubblewrap dies with the thread that started it, so that the thread must live as long as the run.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return s.supervise(ctx, job, cmd, group)
}

// supervise starts bubblewrap, ends it at a limit or with ctx, and decides how the run ended.
func (s *Sandbox) supervise(ctx context.Context, job Job, cmd *exec.Cmd, group *group) (Result, error) {
	w := &watch{limits: job.Limits, without: s.without, group: group, exceeded: make(chan struct{}, 2)}
	w.collect(cmd)
	if job.Stdin != nil {
		// A file must not be handed over itself: the program could open it again, for writing.
		cmd.Stdin = struct{ io.Reader }{job.Stdin}
	}
	cmd.WaitDelay = releaseDelay
	begin := time.Now()
	process, err := s.start(cmd, group, job.Limits)
	if process == nil {
		return Result{}, err
	}
	if err != nil {
		process.kill()
	}
	stopped := w.wait(ctx, process)
	released := process.release()
	result := Result{
		ExitCode: cmd.ProcessState.ExitCode(),
		Stdout:   w.stdout,
		LogTail:  w.log.text(),
		Duration: time.Since(begin),
	}
	if failure := cmp.Or(stopped, released); failure != nil {
		return result, failure
	}
	if failure := process.failure(err, result.LogTail); failure != nil {
		return result, failure
	}
	if limit := w.reached(result); limit != "" {
		return result, &LimitError{limit}
	}
	return result, nil
}
