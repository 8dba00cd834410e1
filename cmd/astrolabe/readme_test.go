package main

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"astrolabe/pg/pgtest"
)

// readmeScript returns the commands of README.md in their order, as one script.
// A command with the comment "keeps running" is started in the background until
// its section ends, as in another terminal.
func readmeScript(t *testing.T) string {
	t.Helper()
	var script strings.Builder
	for _, section := range strings.Split(readSource(t, "../../README.md"), "\n## ") {
		for _, block := range shellBlocks(section) {
			for _, line := range strings.Split(block, "\n") {
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

	output := runShell(t, home, script, "HOME="+home, "ASTROLABE_ADDR="+address, "ASTROLABE_ADMIN_ADDR=127.0.0.1:0",
		"ASTROLABE_DATA="+filepath.Join(home, ".local/share/astrolabe"))
	for _, want := range []string{`"blockNumber":`, `"eventName":"Transfer"`, `"chainId":"SN_MAIN"`} {
		if !strings.Contains(output, want) {
			t.Errorf("got no %s in the answers, want it:\n%s", want, tail(output, 6000))
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

// freeAddress returns an address on which nothing listens. Its port is none of those
// that the system gives to other tests, which might take it before it is used.
func freeAddress(t *testing.T) string {
	t.Helper()
	const first, after = 20_000, 32_000
	for range 100 {
		address := fmt.Sprintf("127.0.0.1:%d", first+rand.IntN(after-first))
		if listener, err := net.Listen("tcp", address); err == nil {
			_ = listener.Close()
			return address
		}
	}
	t.Fatal("got no free port in 100 attempts, want one")
	return ""
}
