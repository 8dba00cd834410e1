package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"astrolabe/pg/pgtest"
)

// guideCommands returns the commands of a document in docs.
func guideCommands(t *testing.T, name string) string {
	t.Helper()
	commands := strings.Join(shellBlocks(readSource(t, filepath.Join("../../docs", name))), "")
	if commands == "" {
		t.Fatalf("docs/%s: got no commands, want some", name)
	}
	return commands
}

func (s *simulated) runsTheCommandOfTheGatewayGuide(t *testing.T) {
	script := strings.NewReplacer("data/demo.json", filepath.Join(s.data, demoFile), "http://127.0.0.1:8080", s.base).Replace(guideCommands(t, "rpc.md"))
	if output := runShell(t, pgtest.Dir(t), script); !strings.Contains(output, `{"jsonrpc":"2.0","id":1,"result":`) {
		t.Errorf("got %s, want the number of a block", output)
	}
}

// runsTheCommandsOfTheProverGuide submits what docs/prover.md shows to a running
// program, and waits until its job has ended.
func runsTheCommandsOfTheProverGuide(t *testing.T, base, data string) {
	t.Helper()
	folder := pgtest.Dir(t)
	submission := regexp.MustCompile("(?s)\n```json\n(.*?)```").FindStringSubmatch(readSource(t, "../../docs/prover.md"))
	if err := os.WriteFile(filepath.Join(folder, "submission.json"), []byte(submission[1]), 0o600); err != nil {
		t.Fatal(err)
	}
	commands := guideCommands(t, "prover.md") + `until curl -s http://127.0.0.1:8080/v1/SN_MAIN/prove/$JOB -H "X-Service-Api-Key: $KEY" | grep '"terminal":true'; do sleep 0.2; done` + "\n"
	script := strings.NewReplacer("--data ./data", "--data "+data, "http://127.0.0.1:8080", base).Replace(commands)
	if output := runShell(t, folder, script); !strings.Contains(output, `"status":"succeeded"`) {
		t.Errorf("got %s, want a proof", output)
	}
}

// TestCommandsOfTheSimulatorGuideWork starts the simulator as docs/simulator.md does.
func TestCommandsOfTheSimulatorGuideWork(t *testing.T) {
	t.Parallel()
	for _, line := range strings.Split(strings.TrimSpace(guideCommands(t, "simulator.md")), "\n") {
		args, ok := strings.CutPrefix(line, "bin/astrolabe ")
		if !ok {
			t.Errorf("got the command %s, want one of the program", line)
			continue
		}
		p := start(t, nil, append(strings.Fields(args), "--addr", "127.0.0.1:0")...)
		p.until(t, "the node serves", func() bool { return strings.Contains(p.text(), "Node     http://") })
		if code := p.stop(t); code != exitOK {
			t.Errorf("%s: got exit code %d, want %d:\n%s", line, code, exitOK, p.text())
		}
	}
}
