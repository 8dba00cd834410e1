package main

import (
	"bytes"
	"os"
	"os/exec"
	"regexp"
	"syscall"
	"testing"
	"time"
)

// shellBlocks returns the blocks of a document that are marked as commands for a
// shell, in their order.
func shellBlocks(document string) (blocks []string) {
	for _, block := range regexp.MustCompile("(?s)\n```sh\n(.*?)```").FindAllStringSubmatch(document, -1) {
		blocks = append(blocks, block[1])
	}
	return blocks
}

// shellStart begins a script of a document's commands. The first command that
// fails ends the script, and "stop" ends what runs in the background.
const shellStart = `set -euo pipefail
stop() { local pids; pids=$(jobs -p); [ -z "$pids" ] || { kill $pids; wait $pids || true; }; }
trap stop EXIT
astrolabe() { "$PROGRAM" "$@"; }
curl() { case " $* " in *" -sf "*) command curl "$@" ;; *) command curl --fail-with-body "$@" ;; esac; }
set -x
`

// runShell runs commands of a document in one shell and one folder, and returns
// what they print. It expects all of them to succeed.
func runShell(t *testing.T, folder, commands string, environment ...string) string {
	t.Helper()
	binary, err := buildOnce()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "bash", "-c", shellStart+commands)
	cmd.Env = append(append(os.Environ(), "PROGRAM="+binary), environment...)
	cmd.Dir = folder
	// The shell stops what it started; killing it alone would leave them running.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = time.Minute
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := cmd.Run(); err != nil {
		t.Fatalf("got %v, want every command to succeed:\n%s", err, tail(output.String(), 6000))
	}
	return output.String()
}

// tail returns the end of a long text.
func tail(text string, length int) string { return text[max(0, len(text)-length):] }
