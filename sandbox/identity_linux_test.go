package sandbox_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"astrolabe/sandbox"
	"astrolabe/sandbox/sandboxtest"

	"golang.org/x/sys/unix"
)

// identity is what a program is to the kernel.
type identity struct {
	Namespaces map[string]string
	Session    int
	GroupMap   []string // first group id inside, outside, number of ids
	Groups     []int
}

func init() {
	sandbox.Register("identity", func() int {
		seen := ownIdentity()
		if err := json.NewEncoder(os.Stdout).Encode(seen); err != nil {
			return 1
		}
		return 0
	})
	// A worker that prints the identity of a program in its sandbox.
	sandbox.Register("identity_worker", func() int {
		s, err := sandbox.Unprobed()
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		result, err := s.Run(context.Background(), sandbox.Job{Entry: "identity", Limits: attackLimits})
		fmt.Fprintln(os.Stderr, result.LogTail, err)
		_, _ = os.Stdout.Write(result.Stdout)
		return result.ExitCode
	})
}

func ownIdentity() identity {
	seen := identity{Namespaces: map[string]string{}}
	for _, name := range []string{"user", "mnt", "pid", "net", "ipc", "uts", "cgroup"} {
		seen.Namespaces[name], _ = os.Readlink("/proc/self/ns/" + name)
	}
	seen.Session, _ = unix.Getsid(0)
	groups, _ := os.ReadFile("/proc/self/gid_map")
	seen.GroupMap = strings.Fields(string(groups))
	seen.Groups, _ = os.Getgroups()
	return seen
}

func identityInside(t *testing.T) identity {
	t.Helper()
	result, err := sandboxtest.Open(t).Run(t.Context(), sandbox.Job{Entry: "identity", Limits: attackLimits})
	if err != nil {
		t.Fatal(err)
	}
	var seen identity
	if err := json.Unmarshal(result.Stdout, &seen); err != nil {
		t.Fatal(err)
	}
	return seen
}

func TestProgramHasEveryNamespaceForItself(t *testing.T) {
	t.Parallel()
	inside := identityInside(t).Namespaces
	for name, outside := range ownIdentity().Namespaces {
		if inside[name] == "" || inside[name] == outside {
			t.Errorf("namespace %s: got %q inside and %q outside, want two", name, inside[name], outside)
		}
	}
}

// TestProgramHasASessionOfItsOwn keeps it from writing to the terminal of its worker. A session of another
// process id namespace has the id 0.
func TestProgramHasASessionOfItsOwn(t *testing.T) {
	t.Parallel()
	if got := identityInside(t).Session; got == 0 {
		t.Errorf("got the session %d of the worker, want another", got)
	}
}

func TestProgramOfRootHasNoGroupOfTheHost(t *testing.T) {
	t.Parallel()
	sandboxtest.Open(t)
	if os.Getuid() != 0 {
		t.Skip("only root can leave its groups")
	}
	worker := direct(t, "identity_worker", []string{"PATH=" + os.Getenv("PATH")})
	worker.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Groups: []uint32{0, unprivileged}}}
	var log bytes.Buffer
	worker.Stderr = &log
	output, err := worker.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, &log)
	}
	var seen identity
	if err := json.Unmarshal(output, &seen); err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprint(sandbox.DefaultUser); len(seen.GroupMap) != 3 || seen.GroupMap[1] != want {
		t.Errorf("got the groups %v inside, outside and their number, want %s outside", seen.GroupMap, want)
	}
	if len(seen.Groups) > 0 {
		t.Errorf("got the supplementary groups %v, want none", seen.Groups)
	}
}
