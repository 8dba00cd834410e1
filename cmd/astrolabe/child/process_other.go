//go:build !linux

package child

import (
	"errors"
	"os/exec"
)

// Supported reports whether children can be started on this system.
const Supported = false

// supervise refuses to start anything: only Linux ends a child with its program
// under all circumstances, and the sandbox of builds needs Linux too.
func supervise(*exec.Cmd) error {
	return errors.New("child processes need Linux")
}
