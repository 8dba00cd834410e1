package sandbox

import (
	"fmt"
	"strings"
)

// Measure is one way in which a run is isolated or limited.
type Measure struct {
	// Name is one of network, filesystem, environment, privileges, seccomp, process_tree, cpu, memory,
	// processes, file_size, files and wall_clock.
	Name string
	// By is what enforces the measure: namespace, bubblewrap, seccomp, cgroup, rlimit or timer. It is
	// empty if the measure is missing.
	By string
	// Missing is a sentence that says why the measure cannot be enforced here; empty if it is.
	Missing string
}

// The names of the measures that are not limits.
const (
	measureNetwork     = "network"
	measureFilesystem  = "filesystem"
	measureEnvironment = "environment"
	measurePrivileges  = "privileges"
	measureSeccomp     = "seccomp"
	measureProcessTree = "process_tree"
)

// measureNames lists every measure in the order in which Measures returns them.
var measureNames = []string{
	measureNetwork, measureFilesystem, measureEnvironment, measurePrivileges, measureSeccomp, measureProcessTree,
	LimitCPU, LimitMemory, LimitProcesses, LimitFileSize, LimitFiles, LimitWallClock,
}

// UnavailableError says that this host cannot isolate a program.
type UnavailableError struct {
	// Measures lists every measure; those with Missing cannot be enforced.
	Measures []Measure
}

// Error names the missing measures, and each reason once.
func (e *UnavailableError) Error() string {
	var names, reasons []string
	last := ""
	for _, measure := range e.Measures {
		if measure.Missing == "" {
			continue
		}
		names = append(names, measure.Name)
		if measure.Missing != last {
			reasons = append(reasons, measure.Missing)
			last = measure.Missing
		}
	}
	return fmt.Sprintf("this host cannot enforce these measures of the sandbox: %s: %s", strings.Join(names, ", "), strings.Join(reasons, " "))
}

// unavailable says that no measure can be enforced, for one reason.
func unavailable(reason string) *UnavailableError {
	failure := &UnavailableError{}
	for _, name := range measureNames {
		failure.Measures = append(failure.Measures, Measure{Name: name, Missing: reason})
	}
	return failure
}
