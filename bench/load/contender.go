package load

import (
	"fmt"
	"os"
	"os/exec"
)

// Start runs a contender in a separate process: a command that prints its
// address on the first line and ends when its input does. stop ends it.
func Start(command *exec.Cmd) (where string, stop func(), err error) {
	command.Stderr = os.Stderr
	input, err := command.StdinPipe()
	if err != nil {
		return "", nil, err
	}
	output, err := command.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := command.Start(); err != nil {
		return "", nil, err
	}
	stop = func() { _ = input.Close(); _ = command.Wait() }
	if _, err := fmt.Fscanln(output, &where); err != nil {
		stop()
		return "", nil, fmt.Errorf("%s did not start: %w", command.Path, err)
	}
	return where, stop, nil
}
