//go:build !linux

package sandbox

import (
	"context"
	"errors"
)

// Sandbox runs jobs on Linux only.
type Sandbox struct{}

// Open returns an *UnavailableError: the sandbox needs the namespaces of Linux.
func Open(context.Context, Options) (*Sandbox, error) {
	return nil, unavailable("The sandbox needs Linux.")
}

// Measures returns nothing, because Open returns no sandbox.
func (*Sandbox) Measures() []Measure { return nil }

// Run fails, because Open returns no sandbox.
func (*Sandbox) Run(context.Context, Job) (Result, error) {
	return Result{}, errors.ErrUnsupported
}

// Reexec does nothing.
func Reexec() { reexecuted = true }
