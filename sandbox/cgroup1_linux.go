package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// cgroup1 is version 1, which has a hierarchy for each controller.
type cgroup1 struct{ memory, pids, cpuacct string }

func findCgroup1() (hierarchy, error) {
	var found cgroup1
	var problems [3]error
	found.memory, problems[0] = ownGroup("memory")
	found.pids, problems[1] = ownGroup("pids")
	found.cpuacct, problems[2] = ownGroup("cpuacct")
	return found, errors.Join(problems[:]...)
}

func (c cgroup1) folders() []string { return []string{c.memory, c.pids, c.cpuacct} }

func (c cgroup1) limit(name string, memory int64, processes int) error {
	if processes > 0 {
		if err := writeGroupFile(c.pids, name, "pids.max", strconv.Itoa(processes)); err != nil {
			return err
		}
	}
	if memory <= 0 {
		return nil
	}
	limit := strconv.FormatInt(memory, 10)
	if err := writeGroupFile(c.memory, name, "memory.limit_in_bytes", limit); err != nil {
		return err
	}
	// Memory and swap together; the file is absent if the kernel does not account for swap.
	if err := writeGroupFile(c.memory, name, "memory.memsw.limit_in_bytes", limit); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

func (c cgroup1) cpu(name string) time.Duration {
	text, err := os.ReadFile(filepath.Join(c.cpuacct, name, "cpuacct.usage"))
	if err != nil {
		return 0
	}
	used, _ := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return time.Duration(used)
}

func (c cgroup1) events(name string) groupEvents {
	return groupEvents{
		outOfMemory:      readCounter(filepath.Join(c.memory, name, "memory.oom_control"), "oom_kill") > 0,
		tooManyProcesses: readCounter(filepath.Join(c.pids, name, "pids.events"), "max") > 0,
	}
}
