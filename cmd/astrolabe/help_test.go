package main

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"astrolabe/cmd/astrolabe/decode"
)

var update = flag.Bool("update", false, "rewrite golden files")

// commandsPage is the golden file with the help of every command.
const commandsPage = "../../docs/commands.md"

func TestCommandReferenceContainsTheHelpOfEveryCommand(t *testing.T) {
	t.Parallel()
	var page bytes.Buffer
	page.WriteString("# Commands\n\nThe output of `astrolabe <command> --help`. The environment variable of each flag is in parentheses.\n")
	for _, command := range commands(t) {
		page.WriteString("\n## " + strings.TrimSpace("astrolabe "+command) + "\n\n```\n" + help(t, command) + "```\n")
	}
	if *update {
		if err := os.WriteFile(commandsPage, page.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	golden, err := os.ReadFile(commandsPage)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(golden, page.Bytes()) {
		t.Error("got another help than docs/commands.md, want the same: go test ./cmd/astrolabe -run CommandReference -update")
	}
}

// commands lists the program itself, by the empty string, and every command.
func commands(t *testing.T) []string {
	t.Helper()
	parser, err := kong.New(&commandLine{}, append(decode.Options(), kong.Vars{"data": ""})...)
	if err != nil {
		t.Fatal(err)
	}
	list := []string{""}
	for _, leaf := range parser.Model.Leaves(true) {
		list = append(list, leaf.Path())
	}
	return list
}

// help runs the real program with a clean environment.
func help(t *testing.T, command string) string {
	t.Helper()
	binary, err := buildOnce()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(binary, append(strings.Fields(command), "--help")...)
	cmd.Env = []string{"HOME=/home/you", "COLUMNS=100"}
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
