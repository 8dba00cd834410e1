package sandbox

import (
	"context"
	"time"
)

// Unprobed opens a sandbox without the named measures, and without checking the others. "cgroup" makes it
// use rlimits where cgroups are writable.
func Unprobed(without ...string) (*Sandbox, error) {
	disabled := map[string]bool{}
	for _, name := range without {
		disabled[name] = true
	}
	return unprobed(Options{}, disabled)
}

// ProbeIsolation checks the measures that are not limits.
func (s *Sandbox) ProbeIsolation(ctx context.Context) ([]Measure, error) {
	return s.probeIsolation(ctx)
}

// ProbeLimit returns why a limit does not hold; empty if it does.
func (s *Sandbox) ProbeLimit(ctx context.Context, name string) string { return s.probeLimit(ctx, name) }

// IsLimit reports whether a measure is a limit.
func IsLimit(measure string) bool { return limitProbes[measure] != "" }

// HasCgroups reports whether cgroups limit memory, processes and processor time.
func (s *Sandbox) HasCgroups() bool { return s.groups != nil }

// What tests need to know of the parts.
const (
	EntryArgument = entryArgument
	InitPath      = initPath
	TailSize      = tailSize
)

// The parts that tests check alone.
var (
	AllowedCalls = allowedCalls
	Filter       = filter
	GroupFolder  = groupFolder
	Libraries    = libraries
	MeasureNames = measureNames
	Refused      = refused
)

// Tail returns the log of a program that wrote these texts to stderr.
func Tail(texts ...string) string {
	var t tail
	for _, text := range texts {
		t.write([]byte(text))
	}
	return t.text()
}

// idleGroups are cgroups without effect.
type idleGroups struct{}

func (idleGroups) folders() []string              { return nil }
func (idleGroups) limit(string, int64, int) error { return nil }
func (idleGroups) cpu(string) time.Duration       { return 0 }
func (idleGroups) events(string) groupEvents      { return groupEvents{} }

// SettleWithIdleGroups checks the measures on a host whose cgroups limit nothing.
func (s *Sandbox) SettleWithIdleGroups(ctx context.Context) error {
	s.groups = &groups{idleGroups{}}
	return s.settle(ctx)
}
