package pgtest

import (
	"fmt"
	"io"
	"os/exec"
	"syscall"
)

// reaper is a shell that waits for the end of this process and then removes its
// server and folder. It holds one end of a pipe; the kernel closes the other
// end when the process dies. So it works after a kill -9, a panic, an os.Exit
// or a test timeout, without code in TestMain.
type reaper struct {
	dir   string
	shell *exec.Cmd
	pipe  io.Closer
}

const script = `
read -r _
pid=$(head -n 1 "$1/cluster/postmaster.pid" 2>/dev/null) && kill -QUIT "$pid"
tries=0
while [ $tries -lt 200 ] && { { [ -n "$pid" ] && kill -0 "$pid"; } || ! rm -rf "$1"; }; do
	tries=$((tries + 1))
	sleep 0.05
done
rm -rf "$1"
`

// watch starts the reaper of a folder. It has a separate process group, so that
// a Ctrl-C in the terminal does not stop it first, and no output, which go test
// would wait for.
func watch(dir string) (*reaper, error) {
	shell := exec.Command("/bin/sh", "-c", script, "pgtest-reaper", dir)
	shell.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	shell.Dir = "/"
	pipe, err := shell.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("watch over %s: %w", dir, err)
	}
	if err := shell.Start(); err != nil {
		return nil, fmt.Errorf("watch over %s: %w", dir, err)
	}
	return &reaper{dir: dir, shell: shell, pipe: pipe}, nil
}

// finish runs the reaper now and waits for it.
func (r *reaper) finish() error {
	if err := r.pipe.Close(); err != nil {
		return err
	}
	return r.shell.Wait()
}
