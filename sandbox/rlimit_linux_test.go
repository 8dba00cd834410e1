package sandbox_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"astrolabe/polltest"
	"astrolabe/sandbox"
	"astrolabe/sandbox/sandboxtest"

	"github.com/google/go-cmp/cmp"
)

// TestEveryProcessInsideHasTheHardLimits looks at a waiting run from the host: at bubblewrap's process
// inside, and at the program.
func TestEveryProcessInsideHasTheHardLimits(t *testing.T) {
	t.Parallel()
	sandboxtest.Open(t)
	s, err := sandbox.Unprobed("cgroup")
	if err != nil {
		t.Fatal(err)
	}
	limits := attackLimits
	limits.FileSize = 1 << 30 // more than this executable has
	ended := make(chan error, 1)
	input, release, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer input.Close()
	go func() {
		_, err := s.Run(t.Context(), sandbox.Job{Entry: "endless_wait", Env: []string{mark(t)}, Stdin: input, Limits: limits})
		ended <- err
	}()
	polltest.Equal(t, "processes inside", 2, func() int { return len(insideWith(t, mark(t))) })
	want := map[string]string{
		"Max core file size": "0 0", "Max open files": "1024 1024", "Max cpu time": "1 2", "Max file size": "1073741824 1073741824",
		"Max data size": "268435456 268435456", "Max processes": "48 48", "Max stack size": "8388608 8388608",
	}
	for _, process := range insideWith(t, mark(t)) {
		if diff := cmp.Diff(want, limitsOf(t, process, want)); diff != "" {
			t.Errorf("the limits of process %d (-want +got):\n%s", process, diff)
		}
	}
	_ = release.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// insideWith returns the processes with a text among their arguments that are in a process id namespace
// of their own.
func insideWith(t *testing.T, text string) []int {
	t.Helper()
	var inside []int
	for _, process := range processesWith(t, text) {
		status, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(process), "status"))
		if regexp.MustCompile(`NSpid:\t[0-9]+\t[0-9]+`).Match(status) {
			inside = append(inside, process)
		}
	}
	return inside
}

// limitsOf returns the named soft and hard limits of a process.
func limitsOf(t *testing.T, process int, names map[string]string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(process), "limits"))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for line := range strings.Lines(string(text)) {
		for name := range names {
			if values, found := strings.CutPrefix(line, name+" "); found {
				fields := strings.Fields(values)
				got[name] = fields[0] + " " + fields[1]
			}
		}
	}
	return got
}
