package sandbox_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"astrolabe/sandbox"

	"golang.org/x/sys/unix"
)

// hostSecret is in the environment and in files of the host.
const hostSecret = "the-secret-of-the-host"

// host is what attacks are aimed at.
type host struct {
	folder string // readable and writable for everyone
	tree   string // mounted at /mnt/tree
	target target
}

// newHost creates files with secrets of each kind.
func newHost(t *testing.T) *host {
	t.Helper()
	h := &host{folder: t.TempDir()}
	for _, folder := range []string{filepath.Dir(h.folder), h.folder} {
		if err := os.Chmod(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	h.tree = h.makeFolder(t, "tree", 0o755)
	h.makeFolder(t, "open", 0o777)
	h.makeFile(t, "public", 0o644)
	h.makeFile(t, "private", 0o600)
	h.makeFile(t, "tree/file", 0o666)
	h.makeFile(t, "tree/private", 0o600)
	if err := os.Symlink(filepath.Join(h.folder, "public"), filepath.Join(h.tree, "link")); err != nil {
		t.Fatal(err)
	}
	h.target = target{Secret: hostSecret, Path: filepath.Join(h.folder, "public")}
	return h
}

func (h *host) makeFolder(t *testing.T, name string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(h.folder, name)
	if err := os.Mkdir(path, mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
	return path
}

func (h *host) makeFile(t *testing.T, name string, mode os.FileMode) {
	t.Helper()
	path := filepath.Join(h.folder, name)
	if err := os.WriteFile(path, []byte(hostSecret), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

// listen accepts connections and returns the address.
func listen(t *testing.T, network, address string) string {
	t.Helper()
	listener, err := net.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	if path, found := strings.CutPrefix(address, "/"); found {
		if err := os.Chmod("/"+path, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	return listener.Addr().String()
}

// answer starts a server that answers every datagram, and returns its address.
func answer(t *testing.T) string {
	t.Helper()
	server, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		block := make([]byte, 512)
		for {
			n, from, err := server.ReadFrom(block)
			if err != nil {
				return
			}
			_, _ = server.WriteTo(block[:n], from)
		}
	}()
	t.Cleanup(func() { _ = server.Close(); <-done })
	return server.LocalAddr().String()
}

// victim starts a process that waits until the end of the test, under the user of the sandbox, with a
// secret in its environment and its arguments.
func victim(t *testing.T) int {
	t.Helper()
	cmd := direct(t, "wait", []string{"SECRET=" + hostSecret, hostSecret})
	input, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if os.Getuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: sandbox.DefaultUser, Gid: sandbox.DefaultUser}}
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = input.Close()
		_ = cmd.Wait()
	})
	if _, err := io.WriteString(input, "{}"); err != nil {
		t.Fatal(err)
	}
	return cmd.Process.Pid
}

// direct returns the command of an attack outside of the sandbox. The caller sets its input.
func direct(t *testing.T, attack string, environment []string) *exec.Cmd {
	t.Helper()
	spec, err := json.Marshal(map[string]any{"Entry": attack, "Threads": 2, "Env": environment})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(executable(t), sandbox.EntryArgument, string(spec))
	cmd.Env = environment
	return cmd
}

// executable returns a copy of this program that every user may run.
func executable(t *testing.T) string {
	t.Helper()
	program, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for _, path := range []string{filepath.Dir(folder), folder} {
		if err := os.Chmod(path, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(folder, "program")
	// A process that another test starts meanwhile would inherit the file, which then cannot be run.
	syscall.ForkLock.RLock()
	err = os.WriteFile(path, program, 0o755)
	syscall.ForkLock.RUnlock()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// leak opens a file with a secret such that every child process inherits it.
func leak(t *testing.T, path string) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	inherited, err := unix.FcntlInt(file.Fd(), unix.F_DUPFD, 100)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Close(inherited) })
}

// processesWith returns the processes whose arguments have a text.
func processesWith(t *testing.T, text string) []int {
	t.Helper()
	paths, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	var found []int
	for _, path := range paths {
		arguments, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(arguments, []byte(text)) {
			continue
		}
		if id, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil && id != os.Getpid() {
			found = append(found, id)
		}
	}
	return found
}

// mark returns a text that no other process has among its arguments.
func mark(t *testing.T) string {
	t.Helper()
	return fmt.Sprintf("MARK=%d-%s.", os.Getpid(), t.Name())
}
