package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// cgroup2 is version 2, which has one hierarchy.
type cgroup2 struct{ folder string }

// findCgroup2 returns the folder in which groups have the controllers memory and pids: the cgroup of this
// process, or the one above if systemd has delegated it (Delegate=yes with DelegateSubgroup=). Version 2
// gives controllers only to groups below one without processes.
func findCgroup2() (hierarchy, error) {
	own, err := ownGroup("")
	if err != nil {
		return nil, err
	}
	folders := []string{own}
	if above := filepath.Dir(own); delegated(above) {
		folders = append(folders, above)
	}
	for _, folder := range folders {
		if givesControllers(folder) {
			return cgroup2{folder}, nil
		}
	}
	return nil, errors.New("cgroup version 2 gives no limits of memory and processes here")
}

// delegated reports whether systemd has given the cgroup to this service.
func delegated(folder string) bool {
	value := make([]byte, 1)
	for _, name := range []string{"user.delegate", "trusted.delegate"} {
		if n, err := unix.Getxattr(folder, name, value); err == nil && n == 1 && value[0] == '1' {
			return true
		}
	}
	return false
}

// givesControllers reports whether a group in the folder has limits, after it has asked for them.
func givesControllers(folder string) bool {
	_ = writeGroupFile(folder, "", "cgroup.subtree_control", "+memory +pids")
	trial := filepath.Join(folder, groupPrefix+strconv.Itoa(os.Getpid())+"-trial")
	if err := os.Mkdir(trial, 0o755); err != nil {
		return false
	}
	defer func() { _ = os.Remove(trial) }()
	for _, file := range []string{"memory.max", "pids.max"} {
		if _, err := os.Stat(filepath.Join(trial, file)); err != nil {
			return false
		}
	}
	return true
}

func (c cgroup2) folders() []string { return []string{c.folder} }

func (c cgroup2) limit(name string, memory int64, processes int) error {
	if processes > 0 {
		if err := writeGroupFile(c.folder, name, "pids.max", strconv.Itoa(processes)); err != nil {
			return err
		}
	}
	if memory <= 0 {
		return nil
	}
	if err := writeGroupFile(c.folder, name, "memory.max", strconv.FormatInt(memory, 10)); err != nil {
		return err
	}
	// The file is absent if the kernel does not account for swap.
	if err := writeGroupFile(c.folder, name, "memory.swap.max", "0"); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return writeGroupFile(c.folder, name, "memory.oom.group", "1")
}

func (c cgroup2) cpu(name string) time.Duration {
	return time.Duration(readCounter(filepath.Join(c.folder, name, "cpu.stat"), "usage_usec")) * time.Microsecond
}

func (c cgroup2) events(name string) groupEvents {
	return groupEvents{
		outOfMemory:      readCounter(filepath.Join(c.folder, name, "memory.events"), "oom_kill") > 0,
		tooManyProcesses: readCounter(filepath.Join(c.folder, name, "pids.events"), "max") > 0,
	}
}
