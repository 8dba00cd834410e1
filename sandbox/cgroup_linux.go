package sandbox

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// groupPrefix begins the names of our cgroups; the process id of this program and a random text follow.
const groupPrefix = "astrolabe-sandbox-"

// groups creates cgroups. It is nil where cgroups are not writable.
type groups struct{ version hierarchy }

// hierarchy is a version of cgroups.
type hierarchy interface {
	// folders are where groups are created: one for each controller, or a single one.
	folders() []string
	// limit sets the limits of a new group.
	limit(name string, memory int64, processes int) error
	// cpu returns the processor time that a group has used.
	cpu(name string) time.Duration
	// events returns which limits a group has reached.
	events(name string) groupEvents
}

// groupEvents are the limits that a group has reached.
type groupEvents struct{ outOfMemory, tooManyProcesses bool }

// group is the cgroup of one run. All methods of a nil group do nothing.
type group struct {
	version hierarchy
	name    string
}

// openGroups returns the cgroups in which this program may create groups with limits of memory and
// processes; nil if there are none.
func openGroups() *groups {
	for _, find := range []func() (hierarchy, error){findCgroup2, findCgroup1} {
		version, err := find()
		if err != nil {
			continue
		}
		g := &groups{version: version}
		g.sweep()
		if trial, err := g.create(BuildLimits, nil); err == nil {
			trial.remove()
			return g
		}
	}
	return nil
}

// create creates the group of a run with its limits.
func (g *groups) create(limits Limits, without map[string]bool) (*group, error) {
	if g == nil {
		return nil, nil
	}
	created := &group{g.version, fmt.Sprintf("%s%d-%s", groupPrefix, os.Getpid(), rand.Text())}
	for _, folder := range g.version.folders() {
		if err := os.Mkdir(filepath.Join(folder, created.name), 0o755); err != nil {
			created.remove()
			return nil, fmt.Errorf("sandbox: creating a cgroup: %w", err)
		}
	}
	memory, processes := limits.Memory, limits.Processes
	if without[LimitMemory] {
		memory = 0
	}
	if without[LimitProcesses] {
		processes = 0
	}
	if err := g.version.limit(created.name, memory, processes); err != nil {
		created.remove()
		return nil, fmt.Errorf("sandbox: limiting a cgroup: %w", err)
	}
	return created, nil
}

// sweep removes the groups that programs that are dead have left.
func (g *groups) sweep() {
	for _, folder := range g.version.folders() {
		left, _ := filepath.Glob(filepath.Join(folder, groupPrefix+"*"))
		for _, path := range left {
			owner, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(path), groupPrefix), "-")
			if id, err := strconv.Atoi(owner); err == nil && errors.Is(unix.Kill(id, 0), unix.ESRCH) {
				_ = os.Remove(path)
			}
		}
	}
}

// add moves a process into the group.
func (g *group) add(process int) error {
	if g == nil {
		return nil
	}
	for _, folder := range g.version.folders() {
		if err := writeGroupFile(folder, g.name, "cgroup.procs", strconv.Itoa(process)); err != nil {
			return fmt.Errorf("sandbox: moving the process into its cgroup: %w", err)
		}
	}
	return nil
}

func (g *group) cpu() time.Duration {
	if g == nil {
		return 0
	}
	return g.version.cpu(g.name)
}

func (g *group) events() groupEvents {
	if g == nil {
		return groupEvents{}
	}
	return g.version.events(g.name)
}

// remove removes the group. The kernel needs a moment to forget processes that have just ended.
func (g *group) remove() {
	if g == nil {
		return
	}
	for _, folder := range g.version.folders() {
		path := filepath.Join(folder, g.name)
		for range 100 {
			if err := os.Remove(path); err == nil || errors.Is(err, os.ErrNotExist) {
				break
			}
			time.Sleep(5 * time.Millisecond)
		}
	}
}

// writeGroupFile writes a file of a group. Its error is os.ErrNotExist if the kernel does not have it.
func writeGroupFile(folder, name, file, text string) error {
	control, err := os.OpenFile(filepath.Join(folder, name, file), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = control.WriteString(text)
	return errors.Join(err, control.Close())
}

// readCounter reads a file of lines "name value" and returns one value; 0 if it is not there.
func readCounter(path, name string) int64 {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) == 2 && fields[0] == name {
			value, _ := strconv.ParseInt(fields[1], 10, 64)
			return value
		}
	}
	return 0
}
