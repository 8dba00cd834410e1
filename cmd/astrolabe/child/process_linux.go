package child

import (
	"errors"
	"os/exec"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// Supported reports whether children can be started on this system.
const Supported = true

// supervise starts the command and waits until it and its process group are
// gone.
//
// The kernel kills the process when the thread that started it ends, as all
// threads do with a program that is killed. So the thread is locked for as long
// as the process lives: the Go runtime could end it otherwise. This needs nothing
// of the child, which may hang, and holds from its first instruction: if the
// program is already gone then, the new process ends itself before it runs
// anything.
func supervise(cmd *exec.Cmd) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
	if err := cmd.Start(); err != nil {
		return err
	}
	// Until Wait collects the process, its id and that of its group belong to it.
	for {
		err := unix.Waitid(unix.P_PID, cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	_ = unix.Kill(-cmd.Process.Pid, unix.SIGKILL) // what it has left running
	return cmd.Wait()
}
