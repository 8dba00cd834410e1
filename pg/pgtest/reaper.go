package pgtest

import (
	"fmt"
	"io"
	"os/exec"
	"syscall"
)

// reaper is a shell that waits for the end of this process and then removes
// its server and its folder. It holds one end of a pipe; the kernel closes the
// other end however the process dies, so this works after a kill -9, a panic,
// an os.Exit or a test timeout, and without a word in TestMain.
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

// watch starts the reaper of a folder. It has a process group of its own, so
// that a Ctrl-C in the terminal does not end it first, and no output, for
// which go test would wait.
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

// finish lets the reaper do its work now and waits for it.
func (r *reaper) finish() error {
	if err := r.pipe.Close(); err != nil {
		return err
	}
	return r.shell.Wait()
}
