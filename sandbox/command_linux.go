package sandbox

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"syscall"
)

// The file descriptors that bubblewrap is given. The init closes them all.
const (
	filterFile = 3 // the seccomp filter
	statusFile = 4 // bubblewrap writes the process id of the sandbox
	gateFile   = 5 // bubblewrap waits for a byte before it starts the init
	selfFile   = 6 // this executable, which becomes the init
)

// insideUser is the user and group id that programs see, on every host the same.
const insideUser = "1000"

// devices are the device nodes inside. /dev/zero is absent because shared mappings of it are memory that
// no rlimit counts.
var devices = []string{"/dev/null", "/dev/random", "/dev/urandom"}

// command returns the invocation of bubblewrap for a job, without its files.
func (s *Sandbox) command(job Job) (*exec.Cmd, error) {
	spec := initSpec{
		Entry:   job.Entry,
		Exec:    job.Exec,
		Env:     job.Env,
		Threads: max(1, job.Limits.Processes/4),
	}
	environment := []string{}
	if s.without[measureEnvironment] {
		environment = os.Environ()
		spec.Env = slices.Concat(environment, job.Env)
	}
	text, err := json.Marshal(spec)
	if err != nil {
		return nil, fmt.Errorf("sandbox: describing the job: %w", err)
	}
	arguments := append(s.isolation(), s.tree(job)...)
	arguments = append(arguments, "--info-fd", strconv.Itoa(statusFile), "--block-fd", strconv.Itoa(gateFile),
		"--", initPath, initArgument, string(text))
	// The run is ended through the process id namespace, not by a context.
	cmd := exec.Command(s.bubblewrap, arguments...) //nolint:noctx // see above
	// Bubblewrap's own environment would be visible inside, in /proc/1/environ.
	cmd.Env = environment
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{}
	if s.user != 0 && !s.without[measurePrivileges] {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: s.user, Gid: s.user}
	}
	return cmd, nil
}

// isolation returns the arguments for namespaces, privileges, session and seccomp.
func (s *Sandbox) isolation() []string {
	arguments := []string{
		"--unshare-user", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup",
		"--uid", insideUser, "--gid", insideUser, "--hostname", "sandbox",
		"--new-session", "--chdir", "/tmp",
	}
	if !s.without[measureProcessTree] {
		arguments = append(arguments, "--unshare-pid", "--die-with-parent")
	}
	if !s.without[measureNetwork] {
		arguments = append(arguments, "--unshare-net")
	}
	if !s.without[measureEnvironment] {
		arguments = append(arguments, "--clearenv")
	}
	if s.without[measurePrivileges] {
		arguments = append(arguments, "--cap-add", "ALL")
	} else {
		arguments = append(arguments, "--cap-drop", "ALL")
	}
	if !s.without[measureSeccomp] {
		arguments = append(arguments, "--seccomp", strconv.Itoa(filterFile))
	}
	return arguments
}

// tree returns the arguments for what the program sees: the root is read-only, and only /tmp is writable.
func (s *Sandbox) tree(job Job) []string {
	arguments := []string{"--perms", "0755", "--dir", "/dev"}
	for _, device := range devices {
		arguments = append(arguments, "--dev-bind", device, device)
	}
	if !s.without[LimitFileSize] {
		arguments = append(arguments, "--size", strconv.FormatInt(2*job.Limits.FileSize, 10))
	}
	arguments = append(arguments, "--tmpfs", "/tmp")
	if s.without[measureProcessTree] {
		arguments = append(arguments, "--ro-bind", "/proc", "/proc")
	} else {
		arguments = append(arguments, "--proc", "/proc")
		if !s.without["init"] {
			// The first process is bubblewrap's own. An empty folder in its place keeps programs from
			// changing its memory.
			arguments = append(arguments, "--perms", "0000", "--tmpfs", "/proc/1", "--remount-ro", "/proc/1")
		}
	}
	if s.without[measureFilesystem] {
		arguments = []string{"--dev-bind", "/", "/", "--tmpfs", "/mnt", "--proc", "/proc"}
	} else {
		mounts := s.libraries
		if len(job.Exec) > 0 {
			mounts = slices.Concat(mounts, libraries(onHost(job.Exec[0], job.Mounts)))
		}
		for _, mount := range mounts {
			arguments = append(arguments, "--ro-bind", mount.Host, mount.Inside)
		}
	}
	for _, mount := range job.Mounts {
		arguments = append(arguments, "--ro-bind", mount.Host, mount.Inside)
	}
	arguments = append(arguments, "--perms", "0555", "--ro-bind-data", strconv.Itoa(selfFile), initPath)
	if !s.without[measureFilesystem] {
		arguments = append(arguments, "--remount-ro", "/")
	}
	return arguments
}
