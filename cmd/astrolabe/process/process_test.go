//go:build linux

package process

import (
	"os/exec"
	"strings"
	"testing"
)

func TestOnlyAProcessOfThisMachineThatHasEndedIsGone(t *testing.T) {
	t.Parallel()
	own := Own("a")
	child := exec.Command("cat")
	if _, err := child.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	began, err := startOf(child.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	other := own
	other.PID, other.Began = child.Process.Pid, began
	if Gone(own.String()) || Gone(other.String()) {
		t.Error("got a running process as gone, want it there")
	}
	_ = child.Process.Kill()
	_ = child.Wait()
	if !Gone(other.String()) {
		t.Error("got a process that was killed as running, want it gone")
	}
	reused := own
	reused.Began = "1" // another process had the id before
	if !Gone(reused.String()) {
		t.Error("got an earlier process with the same id as running, want it gone")
	}
	for name, change := range map[string]func(*ID){
		"another machine":   func(i *ID) { i.Boot = "other" },
		"another container": func(i *ID) { i.Space = "pid:[1]" },
		"an unknown start":  func(i *ID) { i.Began = "" },
	} {
		elsewhere := other
		change(&elsewhere)
		if Gone(elsewhere.String()) {
			t.Errorf("%s: got it as gone, want it unknown", name)
		}
	}
	if Gone("host/12/99") || !strings.Contains(Describe(other.String()), "process ") {
		t.Error("got another text as a process that is gone, want it unknown")
	}
}
