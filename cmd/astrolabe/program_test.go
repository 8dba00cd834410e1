package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// buildFolder holds the program that buildOnce builds.
var buildFolder = filepath.Join(os.TempDir(), fmt.Sprintf("astrolabe-build-%d", os.Getpid()))

// buildOnce builds the real program, with failpoints, once per test run. Without
// its symbols, which stack traces do not need, the linker is done in half the time.
var buildOnce = sync.OnceValues(func() (string, error) {
	binary := filepath.Join(buildFolder, "astrolabe")
	out, err := exec.Command("go", "build", "-tags", "failpoints", "-ldflags", "-s", "-o", binary, ".").CombinedOutput()
	if err != nil {
		return "", errors.New(string(out))
	}
	return binary, nil
})

// program is a started astrolabe process.
type program struct {
	cmd    *exec.Cmd
	ended  chan struct{}
	apiURL chan string // the address of the API, once printed

	mu     sync.Mutex
	output bytes.Buffer // stdout and stderr
}

// start runs the program with arguments and extra environment.
func start(t *testing.T, environment []string, args ...string) *program {
	t.Helper()
	binary, err := buildOnce()
	if err != nil {
		t.Fatal(err)
	}
	return startBinary(t, binary, environment, args...)
}

// startBinary is start for any program.
func startBinary(t *testing.T, binary string, environment []string, args ...string) *program {
	t.Helper()
	p := &program{cmd: exec.Command(binary, args...), ended: make(chan struct{}), apiURL: make(chan string, 1)}
	p.cmd.Env = append(os.Environ(), environment...)
	reader, writer := io.Pipe()
	p.cmd.Stdout, p.cmd.Stderr = writer, writer
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = p.cmd.Wait()
		_ = writer.Close()
	}()
	go func() {
		defer close(p.ended) // after its whole output is read
		p.read(reader)
	}()
	t.Cleanup(func() { p.stop(t) }) // not a kill: Postgres must have left the folder before it is removed
	return p
}

func (p *program) read(from io.Reader) {
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		p.mu.Lock()
		p.output.WriteString(lines.Text() + "\n")
		p.mu.Unlock()
		if url, ok := strings.CutPrefix(lines.Text(), "API       "); ok {
			p.apiURL <- url
		}
	}
}

func (p *program) text() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.output.String()
}

// ready waits until the API is ready, and returns its URL.
func (p *program) ready(t *testing.T) string {
	t.Helper()
	var url string
	select {
	case url = <-p.apiURL:
	case <-p.ended:
		t.Fatalf("got the program ended, want it ready:\n%s", p.text())
	case <-time.After(time.Minute):
		t.Fatalf("got no start within a minute, want one:\n%s", p.text())
	}
	response, err := http.Get(url + "/readyz")
	if err != nil {
		t.Fatalf("%v\n%s", err, p.text())
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		t.Fatalf("got %s from /readyz, want 200\n%s", response.Status, p.text())
	}
	return url
}

// stop signals the program to end and returns its exit code.
func (p *program) stop(t *testing.T) int {
	t.Helper()
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	p.wait(t)
	return p.cmd.ProcessState.ExitCode()
}

func (p *program) kill(t *testing.T) {
	t.Helper()
	_ = p.cmd.Process.Kill()
	p.wait(t)
}

func (p *program) wait(t *testing.T) {
	t.Helper()
	select {
	case <-p.ended:
	case <-time.After(time.Minute):
		t.Fatalf("got no end within a minute, want one:\n%s", p.text())
	}
}

// killed reports whether the program ended by SIGKILL.
func (p *program) killed() bool {
	status, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGKILL
}

func readDemo(t *testing.T, data string) demo {
	t.Helper()
	path := filepath.Join(data, "demo.json")
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("demo.json: got %v and %v, want mode 600", info, err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var d demo
	if err := json.Unmarshal(content, &d); err != nil {
		t.Fatal(err)
	}
	return d
}
