package load

import (
	"fmt"
	"os"
	"os/exec"
)

// Start runs a contender in a process of its own: a command that says where it
// listens, in one word on its first line, and ends when its input does. Stop
// ends it.
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
