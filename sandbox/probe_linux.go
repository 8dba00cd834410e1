package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// probeLimits are the limits of the runs that check measures.
var probeLimits = Limits{CPU: time.Second, Wall: 20 * time.Second, Memory: 128 << 20, Processes: 32, FileSize: 1 << 20, Output: 1 << 20}

// probe checks every measure by real runs.
func (s *Sandbox) probe(ctx context.Context) []Measure {
	result, err := s.Run(ctx, Job{Entry: probeInspect, Limits: probeLimits})
	if err == nil && result.ExitCode != 0 {
		err = fmt.Errorf("the program inside ended with exit code %d: %s", result.ExitCode, result.LogTail)
	}
	var seen inspection
	if err == nil {
		err = json.Unmarshal(result.Stdout, &seen)
	}
	if err != nil {
		return unavailable(fmt.Sprintf("No program can be run in isolation: %v. docs/sandbox.md lists what a host needs.", err)).Measures
	}
	shared := "rlimit"
	if s.groups != nil {
		shared = "cgroup"
	}
	measures := []Measure{
		{measureNetwork, "namespace", seen.network()},
		{measureFilesystem, "namespace", seen.filesystem()},
		{measureEnvironment, "bubblewrap", seen.environment()},
		{measurePrivileges, "namespace", seen.privileges()},
		{measureSeccomp, "seccomp", seen.seccomp()},
		{measureProcessTree, "namespace", seen.processTree()},
		{LimitCPU, shared, ""},
		{LimitMemory, shared, ""},
		{LimitProcesses, shared, ""},
		{LimitFileSize, "rlimit", ""},
		{LimitWallClock, "timer", ""},
	}
	var running sync.WaitGroup
	for i := range measures {
		if entry := limitProbes[measures[i].Name]; entry != "" {
			running.Go(func() { measures[i].Missing = s.probeLimit(ctx, measures[i].Name, entry) })
		}
	}
	running.Wait()
	for i := range measures {
		if measures[i].Missing != "" {
			measures[i].By = ""
		}
	}
	return measures
}

// probeLimit runs an entry point that exceeds a limit. It returns why the limit does not hold.
func (s *Sandbox) probeLimit(ctx context.Context, name, entry string) string {
	limits := probeLimits
	if name == LimitWallClock {
		limits.Wall = 200 * time.Millisecond
	}
	result, err := s.Run(ctx, Job{Entry: entry, Limits: limits})
	var limit *LimitError
	switch {
	case errors.As(err, &limit) && limit.Limit == name:
		return ""
	case err != nil:
		return fmt.Sprintf("The %s limit could not be tested: %v.", name, err)
	default:
		return fmt.Sprintf("A program exceeded the %s limit and ended with exit code %d.", name, result.ExitCode)
	}
}

// inspection is what a program inside can see and do.
type inspection struct {
	Interfaces   []string // network interfaces
	Socket       string   // error of creating a socket
	Root         []string // entries of the root folder
	Write        string   // error of writing to the root folder
	Environment  []string
	Capabilities []string // masks of capabilities
	NoNewPrivs   string
	UserMap      []string // first user id inside, outside, number of ids
	Seccomp      string
	Unshare      string // error of creating a user namespace
	Processes    int
}

func (i inspection) network() string {
	if !slices.Equal(i.Interfaces, []string{"lo"}) || i.Socket != refusedText {
		return fmt.Sprintf("A program inside sees the network interfaces %s, and creating a socket gives %q.", strings.Join(i.Interfaces, ", "), i.Socket)
	}
	return ""
}

// insideRoot are the entries that the root folder may have.
var insideRoot = []string{"dev", "lib", "lib64", "mnt", "proc", "tmp", "usr"}

func (i inspection) filesystem() string {
	for _, name := range i.Root {
		if !slices.Contains(insideRoot, name) {
			return fmt.Sprintf("A program inside sees /%s.", name)
		}
	}
	if i.Write == "" {
		return "A program inside can write to the root folder."
	}
	return ""
}

func (i inspection) environment() string {
	if len(i.Environment) > 0 {
		return fmt.Sprintf("A program inside has %d environment variables.", len(i.Environment))
	}
	return ""
}

func (i inspection) privileges() string {
	for _, mask := range i.Capabilities {
		if strings.Trim(mask, "0") != "" {
			return fmt.Sprintf("A program inside has capabilities: %s.", mask)
		}
	}
	switch {
	case i.NoNewPrivs != "1":
		return "A program inside can gain privileges by setuid executables."
	case len(i.UserMap) != 3 || i.UserMap[1] == "0":
		return "A program inside runs as root of the host."
	}
	return ""
}

func (i inspection) seccomp() string {
	if i.Seccomp != "2" || i.Unshare != refusedText {
		return fmt.Sprintf("No seccomp filter is active, and creating a user namespace gives %q.", i.Unshare)
	}
	return ""
}

func (i inspection) processTree() string {
	// Bubblewrap's own process and the program.
	if i.Processes > 2 {
		return fmt.Sprintf("A program inside sees %d processes.", i.Processes)
	}
	return ""
}
