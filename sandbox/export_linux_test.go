package sandbox

import "context"

// Unprobed opens a sandbox without the named measures, and without checking the others. "cgroup" makes it
// use rlimits where cgroups are writable.
func Unprobed(without ...string) (*Sandbox, error) {
	disabled := map[string]bool{}
	for _, name := range without {
		disabled[name] = true
	}
	return unprobed(Options{}, disabled)
}

// Probe checks every measure.
func (s *Sandbox) Probe(ctx context.Context) []Measure { return s.probe(ctx) }

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
)

// Tail returns the log of a program that wrote these texts to stderr.
func Tail(texts ...string) string {
	var t tail
	for _, text := range texts {
		t.write([]byte(text))
	}
	return t.text()
}
