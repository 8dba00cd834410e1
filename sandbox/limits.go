package sandbox

import (
	"fmt"
	"time"
)

// Limits bound one run. All of them must be positive.
type Limits struct {
	// CPU is the processor time of all processes together where cgroups are writable, and of each
	// process elsewhere.
	CPU time.Duration
	// Wall is the time between the start and the end of the run.
	Wall time.Duration
	// Memory is the memory of all processes together where cgroups are writable, including /tmp. It is
	// the memory of each process elsewhere.
	Memory int64
	// Processes is how many processes and threads may exist at once.
	Processes int
	// FileSize is the size of the largest file, but at least that of this executable, which is copied into
	// the sandbox. /tmp holds twice as much.
	FileSize int64
	// Files is how many files and folders /tmp may hold.
	Files int
	// Output is how many bytes the run may write to stdout, and how many to stderr.
	Output int64
}

// BuildLimits are the limits of a build of uploaded source.
var BuildLimits = Limits{
	CPU:       600 * time.Second,
	Wall:      900 * time.Second,
	Memory:    4 << 30,
	Processes: 64,
	FileSize:  512 << 20,
	Files:     64 << 10,
	Output:    32 << 20,
}

// The names of limits in a LimitError. All but LimitOutput are names of measures, too.
const (
	LimitCPU       = "cpu"
	LimitWallClock = "wall_clock"
	LimitMemory    = "memory"
	LimitProcesses = "processes"
	LimitFileSize  = "file_size"
	LimitFiles     = "files"
	LimitOutput    = "output"
)

// LimitError is Run's error if a job was ended by a limit, or failed after it had reached one.
type LimitError struct {
	// Limit is the name of the limit, such as LimitCPU.
	Limit string
}

// Error names the limit.
func (e *LimitError) Error() string {
	return fmt.Sprintf("the sandboxed program exceeded its %s limit", e.Limit)
}

// check returns an error that names the first limit that is not positive.
func (l Limits) check() error {
	for _, limit := range []struct {
		name  string
		value int64
	}{
		{LimitCPU, int64(l.CPU)},
		{LimitWallClock, int64(l.Wall)},
		{LimitMemory, l.Memory},
		{LimitProcesses, int64(l.Processes)},
		{LimitFileSize, l.FileSize},
		{LimitFiles, int64(l.Files)},
		{LimitOutput, l.Output},
	} {
		if limit.value <= 0 {
			return fmt.Errorf("sandbox: the %s limit is %d, but must be positive", limit.name, limit.value)
		}
	}
	return nil
}
