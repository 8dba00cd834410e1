package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
)

// Sandbox runs jobs, any number at once.
type Sandbox struct {
	bubblewrap string
	user       uint32 // of sandboxed processes; 0 for the user of this program
	filter     []byte
	libraries  []Mount // of this executable
	executable int64   // the size of this executable
	reserved   uint64  // the address space of this program
	groups     *groups
	measures   []Measure
	// without lists what tests have disabled: measures, limits, "cgroup", and "init", which hides the first
	// process.
	without map[string]bool
}

// Open finds bubblewrap and checks every measure by real runs, which takes about a second of processor
// time. If one cannot be enforced, the error is an *UnavailableError.
func Open(ctx context.Context, options Options) (*Sandbox, error) {
	s, err := unprobed(options, nil)
	if err != nil {
		return nil, err
	}
	if err := s.settle(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

// settle checks every measure, and chooses rlimits if those of cgroups do not hold.
func (s *Sandbox) settle(ctx context.Context) error {
	missing := func(m Measure) bool { return m.Missing != "" }
	s.measures = s.probe(ctx)
	if s.groups != nil && slices.ContainsFunc(s.measures, missing) {
		s.groups = nil
		s.measures = s.probe(ctx)
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if slices.ContainsFunc(s.measures, missing) {
		return &UnavailableError{s.measures}
	}
	return nil
}

// unprobed returns a sandbox without checking that its measures work, and without those named.
func unprobed(options Options, without map[string]bool) (*Sandbox, error) {
	if !reexecuted {
		return nil, errors.New("sandbox: main or TestMain must call sandbox.Reexec first")
	}
	s := &Sandbox{bubblewrap: options.Bubblewrap, without: without}
	if s.bubblewrap == "" {
		found, err := exec.LookPath("bwrap")
		if err != nil {
			return nil, unavailable(fmt.Sprintf("Install bubblewrap: %v.", err))
		}
		s.bubblewrap = found
	}
	if os.Getuid() == 0 {
		s.user = options.User
		if s.user == 0 {
			s.user = DefaultUser
		}
	}
	allowed := allowedCalls
	if without[measureNetwork] {
		allowed = slices.Concat(allowed, socketCalls)
	}
	program, err := filter(allowed)
	if err != nil {
		return nil, unavailable(fmt.Sprintf("No seccomp filter: %v.", err))
	}
	if s.filter, err = encode(program); err != nil {
		return nil, unavailable(fmt.Sprintf("No seccomp filter: %v.", err))
	}
	info, err := os.Stat("/proc/self/exe")
	if err != nil {
		return nil, fmt.Errorf("sandbox: reading this executable: %w", err)
	}
	if s.reserved, err = ownAddressSpace(); err != nil {
		return nil, err
	}
	s.executable, s.libraries = info.Size(), libraries("/proc/self/exe")
	if !without["cgroup"] {
		s.groups = openGroups()
	}
	return s, nil
}

// Measures returns how runs are isolated and limited here.
func (s *Sandbox) Measures() []Measure { return slices.Clone(s.measures) }
