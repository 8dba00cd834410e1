package main

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"astrolabe/pg/pgtest"
)

// readmeScript returns the commands of README.md in their order, as one script.
// A command with the comment "keeps running" is started in the background until
// its section ends, as in another terminal.
func readmeScript(t *testing.T) string {
	t.Helper()
	var script strings.Builder
	script.WriteString(`set -euo pipefail
stop() { local pids; pids=$(jobs -p); [ -z "$pids" ] || { kill $pids; wait $pids || true; }; }
trap stop EXIT
curl() { case " $* " in *" -sf "*) command curl "$@" ;; *) command curl --fail-with-body "$@" ;; esac; }
set -x
`)
	for _, section := range strings.Split(readSource(t, "../../README.md"), "\n## ") {
		for _, block := range regexp.MustCompile("(?s)\n```sh\n(.*?)```").FindAllStringSubmatch(section, -1) {
			for _, line := range strings.Split(block[1], "\n") {
				command, comment, _ := strings.Cut(line, "   # ")
				if strings.HasPrefix(comment, "keeps running") {
					line = command + " &\nuntil curl -sf http://127.0.0.1:8080/readyz; do jobs %% >/dev/null; sleep 0.2; done"
				}
				script.WriteString(line + "\n")
			}
		}
		script.WriteString("stop\n")
	}
	return script.String()
}

// TestCommandsOfTheReadmeWork runs every command of README.md in the order in
// which a reader does, in one shell and one folder. Only what a reader has to
// replace is replaced: the node, the database, and the port, which may be taken
// here.
func TestCommandsOfTheReadmeWork(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it runs for half a minute")
	}
	binary, err := buildOnce()
	if err != nil {
		t.Fatal(err)
	}
	node := "http://" + freeAddress(t)
	startBinary(t, binary, nil, "sim", "--blocks", "30", "--addr", strings.TrimPrefix(node, "http://"))
	script, address, home := readmeScript(t), freeAddress(t), pgtest.Dir(t)
	if got := strings.Count(script, "bin/astrolabe "); got < 7 {
		t.Fatalf("got %d commands of the program, want at least 7", got)
	}
	script = strings.ReplaceAll(script, "make run", runOfMake(t))
	script = strings.NewReplacer(
		"https://your-node.example/rpc", node,
		"postgres://astrolabe:PASSWORD@db.example/astrolabe", "'"+pgtest.Database(t, nil)+"'",
		"127.0.0.1:8080", address,
		"/var/lib/astrolabe", filepath.Join(home, ".local/share/astrolabe"),
		"bin/astrolabe ", binary+" ",
	).Replace(script)

	cmd := exec.CommandContext(t.Context(), "bash", "-c", script)
	cmd.Env = append(os.Environ(), "HOME="+home, "ASTROLABE_ADDR="+address, "ASTROLABE_ADMIN_ADDR=127.0.0.1:0",
		"ASTROLABE_DATA="+filepath.Join(home, ".local/share/astrolabe"))
	cmd.Dir = home
	// The shell stops what it started; killing it alone would leave them running.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = time.Minute
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := cmd.Run(); err != nil {
		t.Fatalf("got %v, want every command to succeed:\n%s", err, tail(output.String(), 6000))
	}
	for _, want := range []string{`"blockNumber":`, `"eventName":"Transfer"`, `"chainId":"SN_MAIN"`} {
		if !strings.Contains(output.String(), want) {
			t.Errorf("got no %s in the answers, want it:\n%s", want, tail(output.String(), 6000))
		}
	}
}

// runOfMake returns the last command of "make run". The ones before build the
// program and install Postgres, which tests have done.
func runOfMake(t *testing.T) string {
	t.Helper()
	recipe, err := exec.Command("make", "-C", "../..", "--no-print-directory", "--dry-run", "run").Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(recipe)), "\n")
	return lines[len(lines)-1]
}

// freeAddress returns an address on which nothing listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return fmt.Sprint(listener.Addr())
}

// tail returns the end of a long text.
func tail(text string, length int) string { return text[max(0, len(text)-length):] }
