package sandbox

import (
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"time"
)

// Mount makes a file or folder of the host visible inside, read-only.
type Mount struct {
	// Host is the absolute path on the host. The user of the sandbox must be able to read it: if this
	// program runs as root, that is Options.User, so files need mode 0644 and every folder on the way 0755.
	Host string
	// Inside is the absolute path inside the sandbox.
	Inside string
}

// Job is one run. Either Entry or Exec is set.
type Job struct {
	// Entry is the name of a registered function that runs inside.
	Entry string
	// Exec is the absolute path inside the sandbox of an executable, followed by its arguments. If it is
	// dynamically linked, its loader and libraries are mounted from the host.
	Exec []string
	// Mounts are all that is visible of the host.
	Mounts []Mount
	// Stdin is what the program reads; nil is an empty input. Run may wait for a Read that blocks.
	Stdin io.Reader
	// Env is the whole environment of the program, as NAME=value.
	Env []string
	// Limits bound the run.
	Limits Limits
}

// Result describes a run. Run returns the log and the duration also with an error.
type Result struct {
	// ExitCode is the exit code of the program, or 128 plus the number of the signal that ended it.
	ExitCode int
	// Stdout is everything that the program wrote to stdout.
	Stdout []byte
	// LogTail is the end of stderr: at most 16 KiB of valid UTF-8 without control characters except
	// newlines and tabs.
	LogTail string
	// Duration is the time that the run took.
	Duration time.Duration
}

// check returns an error if the job contradicts itself.
func (j Job) check() error {
	if err := j.Limits.check(); err != nil {
		return err
	}
	switch {
	case (j.Entry == "") == (len(j.Exec) == 0):
		return errors.New("sandbox: a job has either an entry point or an executable")
	case j.Entry != "" && entries[j.Entry] == nil:
		return fmt.Errorf("sandbox: no entry point %q is registered", j.Entry)
	case len(j.Exec) > 0 && !path.IsAbs(j.Exec[0]):
		return fmt.Errorf("sandbox: the executable %q is not an absolute path", j.Exec[0])
	}
	for _, mount := range j.Mounts {
		if !filepath.IsAbs(mount.Host) || !path.IsAbs(mount.Inside) || path.Clean(mount.Inside) == "/" {
			return fmt.Errorf("sandbox: cannot mount %q at %q: both must be absolute paths, and the second not the root", mount.Host, mount.Inside)
		}
	}
	return nil
}
