package main

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/google/go-cmp/cmp"

	"astrolabe/domain"
)

// words are what a shell makes of a line.
func words(t *testing.T, line string) []string {
	t.Helper()
	split, err := exec.CommandContext(t.Context(), "sh", "-c", `printf '%s\0' `+line).Output()
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return strings.Split(strings.TrimSuffix(string(split), "\x00"), "\x00")
}

func TestAPrintedRepairHasTheFlagsOfFsckAndNoSecret(t *testing.T) {
	t.Parallel()
	const block, rederive = "astrolabe repair --chain SN_MAIN --block 7", "astrolabe rederive transfers --chain SN_MAIN"
	for name, test := range map[string]struct {
		flags  []string // of fsck
		repair string
		want   []string // the flags that the repair gets
		note   string
	}{
		"a folder with a space":     {[]string{"--data=/srv/my data"}, rederive, []string{"--data=/srv/my data"}, ""},
		"a database with settings":  {[]string{"--database-url=postgres:///a?host=/run/pg&port=5433"}, rederive, []string{"--database-url=postgres:///a?host=/run/pg&port=5433"}, ""},
		"a file with the URL":       {[]string{"--database-url-file=/run/it's"}, rederive, []string{"--database-url-file=/run/it's"}, ""},
		"a pooler":                  {[]string{"--database-url=postgres://pooler/a", "--database-direct-url=postgres://host/a"}, rederive, []string{"--database-url=postgres://pooler/a", "--database-direct-url=postgres://host/a"}, ""},
		"flags of fsck alone":       {[]string{"--limit=5", "--from=3", "--log-level=warn"}, rederive, nil, ""},
		"a node":                    {[]string{"--node-main=http://127.0.0.1:5050/rpc/v0_10"}, block, []string{"--node-main=http://127.0.0.1:5050/rpc/v0_10"}, ""},
		"two nodes":                 {[]string{"--node-main=http://a:1,http://b:2"}, block, []string{"--node-main=http://a:1,http://b:2"}, ""},
		"a node for no need":        {[]string{"--node-main=http://a:1"}, rederive, nil, ""},
		"a password":                {[]string{"--database-url=postgres://me:hush@host/a"}, rederive, nil, "set ASTROLABE_DATABASE_URL"},
		"a password in the query":   {[]string{"--database-url=postgres://host/a?password=hush"}, rederive, nil, "set ASTROLABE_DATABASE_URL"},
		"a key in the path":         {[]string{"--node-main=https://node.example/v3/hush0123456789abcdef"}, block, nil, "set ASTROLABE_NODE_MAIN"},
		"a key in the query":        {[]string{"--node-main=https://node.example?key=hush"}, block, nil, "set ASTROLABE_NODE_MAIN"},
		"a user of a node":          {[]string{"--node-main=https://hush@node.example"}, block, nil, "set ASTROLABE_NODE_MAIN"},
		"no node where one is used": {nil, block, nil, "need a node of SN_MAIN"},
	} {
		var line commandLine
		parser, err := kong.New(&line, kong.DefaultEnvars("ASTROLABE"), kong.Vars{"data": "/var/lib/astrolabe"})
		if err != nil {
			t.Fatal(err)
		}
		parsed, err := parser.Parse(append([]string{"fsck"}, test.flags...))
		if err != nil {
			t.Fatal(err)
		}
		a := &advice{flags: passed(parsed), nodes: line.Fsck.nodeSettings}
		printed, ours := strings.CutPrefix(a.line(domain.Mainnet, test.repair), "repair: ")
		if diff := cmp.Diff(slices.Concat(strings.Fields(test.repair), test.want), words(t, printed)); diff != "" || !ours {
			t.Errorf("%s: %s (-want +got):\n%s", name, printed, diff)
		}
		notes := strings.Join(a.notes, "\n")
		if !strings.Contains(notes, test.note) || test.note == "" && notes != "" || strings.Contains(notes+printed, "hush") {
			t.Errorf("%s: got the notes %q, want %q and no secret", name, notes, test.note)
		}
	}
}
