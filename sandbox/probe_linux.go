package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"
)

// probeLimits are the limits of the runs that check measures.
var probeLimits = Limits{CPU: time.Second, Wall: time.Minute, Memory: 256 << 20, Processes: 32, FileSize: 256 << 20, Files: 1 << 10, Output: 1 << 20}

// probe checks every measure by real runs.
func (s *Sandbox) probe(ctx context.Context) []Measure {
	measures, err := s.probeIsolation(ctx)
	if err != nil {
		return unavailable(fmt.Sprintf("No program can be run in isolation: %v. docs/sandbox.md lists what a host needs.", err)).Measures
	}
	shared := "rlimit"
	if s.groups != nil {
		shared = "cgroup"
	}
	limits := []Measure{
		{LimitCPU, shared, ""},
		{LimitMemory, shared, ""},
		{LimitProcesses, shared, ""},
		{LimitFileSize, "rlimit", ""},
		{LimitFiles, "timer", ""},
		{LimitWallClock, "timer", ""},
	}
	var running sync.WaitGroup
	for i := range limits {
		running.Go(func() { limits[i].Missing = s.probeLimit(ctx, limits[i].Name) })
	}
	running.Wait()
	measures = append(measures, limits...)
	for i := range measures {
		if measures[i].Missing != "" {
			measures[i].By = ""
		}
	}
	return measures
}

// probeIsolation checks the measures that are not limits by what a program inside sees.
func (s *Sandbox) probeIsolation(ctx context.Context) ([]Measure, error) {
	result, err := s.Run(ctx, Job{Entry: probeInspect, Limits: probeLimits})
	if err != nil {
		return nil, err
	}
	if result.ExitCode != 0 {
		return nil, fmt.Errorf("the program inside ended with exit code %d: %s", result.ExitCode, result.LogTail)
	}
	var seen inspection
	if err := json.Unmarshal(result.Stdout, &seen); err != nil {
		return nil, fmt.Errorf("reading the report of the program inside: %w", err)
	}
	return []Measure{
		{measureNetwork, "namespace", seen.network()},
		{measureFilesystem, "namespace", seen.filesystem()},
		{measureEnvironment, "bubblewrap", seen.environment()},
		{measurePrivileges, "namespace", seen.privileges()},
		{measureSeccomp, "seccomp", seen.seccomp()},
		{measureProcessTree, "namespace", seen.processTree()},
	}, nil
}

// probeLimit runs an entry point that exceeds a limit. It returns why the limit does not hold; empty if it
// does.
func (s *Sandbox) probeLimit(ctx context.Context, name string) string {
	limits := probeLimits
	if name == LimitWallClock {
		limits.Wall = 200 * time.Millisecond
	}
	result, err := s.Run(ctx, Job{Entry: limitProbes[name], Limits: limits})
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
