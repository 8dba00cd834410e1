package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// releaseDelay is how long a run waits for its output after bubblewrap has ended, and for the death of
// every process.
const releaseDelay = 10 * time.Second

// process is a running sandbox.
type process struct {
	cmd *exec.Cmd
	// leader refers to the first process of the process id namespace. The kernel ends the namespace with
	// it, and it is gone only after all others. It is -1 until bubblewrap has started it.
	leader int
	// id is the process id of the leader.
	id int
	// report receives what the init writes, when it has closed its end.
	report chan []byte
}

// start starts bubblewrap and holds the init back until it is in the cgroup and has its rlimits.
func (s *Sandbox) start(cmd *exec.Cmd, group *group, limits Limits) (*process, error) {
	files := &pipes{}
	defer files.closeAll()
	status, gate, report, err := s.files(cmd, files)
	if err != nil {
		return nil, fmt.Errorf("sandbox: preparing files: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("sandbox: starting bubblewrap: %w", err)
	}
	files.closeChildren()
	p := &process{cmd: cmd, leader: -1, report: make(chan []byte, 1)}
	files.keep(report)
	go func() {
		text, _ := io.ReadAll(io.LimitReader(report, 4<<10))
		_ = report.Close()
		p.report <- text
	}()
	var started struct {
		Leader int `json:"child-pid"`
	}
	if err := json.NewDecoder(status).Decode(&started); err != nil || started.Leader == 0 {
		return p, nil // bubblewrap failed: the report stays empty, and stderr says why
	}
	p.id = started.Leader
	// The process waits at the gate, so its id cannot belong to another one.
	if p.leader, err = unix.PidfdOpen(started.Leader, 0); err != nil {
		return p, fmt.Errorf("sandbox: opening the process: %w", err)
	}
	if err := group.add(started.Leader); err != nil {
		return p, err
	}
	if err := s.limit(started.Leader, limits); err != nil {
		return p, err
	}
	if _, err := gate.Write([]byte{1}); err != nil {
		return p, fmt.Errorf("sandbox: starting the init: %w", err)
	}
	return p, nil
}

// files returns how many files and folders /tmp holds inside; 0 before it is mounted. The kernel keeps them
// in memory that no rlimit counts, and bubblewrap cannot limit their number.
func (p *process) files() int {
	folder := fmt.Sprintf("/proc/%d/root/tmp", p.id)
	var inside, outside unix.Stat_t
	var counted unix.Statfs_t
	if unix.Stat(folder, &inside) != nil || unix.Stat("/tmp", &outside) == nil && inside.Dev == outside.Dev || unix.Statfs(folder, &counted) != nil {
		return 0
	}
	return int(counted.Files - counted.Ffree)
}

// kill ends every process of the sandbox.
func (p *process) kill() {
	if p.leader < 0 || unix.PidfdSendSignal(p.leader, unix.SIGKILL, nil, 0) != nil {
		_ = p.cmd.Process.Kill()
	}
}

// release kills what is left of the sandbox and waits until it is gone.
func (p *process) release() error {
	if p.leader < 0 {
		return nil
	}
	defer func() { _ = unix.Close(p.leader) }()
	_ = unix.PidfdSendSignal(p.leader, unix.SIGKILL, nil, 0)
	deadline := time.Now().Add(releaseDelay)
	for {
		wait := time.Until(deadline)
		if wait <= 0 {
			return errors.New("sandbox: processes are alive after SIGKILL")
		}
		ready, err := unix.Poll([]unix.PollFd{{Fd: int32(p.leader), Events: unix.POLLIN}}, int(wait.Milliseconds())+1)
		if err != nil && !errors.Is(err, unix.EINTR) {
			return fmt.Errorf("sandbox: waiting for the end of the processes: %w", err)
		}
		if ready > 0 {
			return nil
		}
	}
}

// failure returns why the program was not started; nil if it was. If bubblewrap has logged why it failed,
// that explains the error of start, too.
func (p *process) failure(started error, log string) error {
	report := <-p.report
	log = strings.TrimSpace(log)
	switch {
	case len(report) == 0 && log == "" && started != nil:
		return started
	case len(report) == 0:
		return fmt.Errorf("sandbox: bubblewrap could not create the sandbox: %s", log)
	case len(report) > 1:
		return fmt.Errorf("sandbox: the init could not start the program: %s", report[1:])
	}
	return started
}

// files gives bubblewrap its files, in the order of their descriptors, and returns our ends.
func (s *Sandbox) files(cmd *exec.Cmd, files *pipes) (status, gate, report *os.File, err error) {
	program, filterIn, err := files.open()
	if err != nil {
		return nil, nil, nil, err
	}
	// The filter is smaller than the buffer of a pipe.
	if _, err := filterIn.Write(s.filter); err != nil {
		return nil, nil, nil, err
	}
	_ = filterIn.Close()
	status, statusOut, err := files.open()
	if err != nil {
		return nil, nil, nil, err
	}
	gateOut, gate, err := files.open()
	if err != nil {
		return nil, nil, nil, err
	}
	self, err := os.Open("/proc/self/exe")
	if err != nil {
		return nil, nil, nil, err
	}
	files.children = append(files.children, self)
	report, reportOut, err := files.open()
	if err != nil {
		return nil, nil, nil, err
	}
	cmd.ExtraFiles = []*os.File{program, statusOut, gateOut, self, reportOut}
	files.children = append(files.children, cmd.ExtraFiles...)
	return status, gate, report, nil
}

// pipes closes files at the end of a start.
type pipes struct{ all, children []*os.File }

func (p *pipes) open() (read, write *os.File, err error) {
	read, write, err = os.Pipe()
	if err == nil {
		p.all = append(p.all, read, write)
	}
	return read, write, err
}

func (p *pipes) keep(file *os.File) {
	for i, other := range p.all {
		if other == file {
			p.all[i] = nil
		}
	}
}

func (p *pipes) closeChildren() {
	for _, file := range p.children {
		_ = file.Close()
	}
}

func (p *pipes) closeAll() {
	p.closeChildren()
	for _, file := range p.all {
		_ = file.Close() // a nil file only returns an error
	}
}
