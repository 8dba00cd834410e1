package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// TestEveryReadOfARequestIsCounted checks that pipelined statements are one
// round trip, that those of a transaction are not, and that an unnamed
// statement counts while those that do not belong to the request do not.
func TestEveryReadOfARequestIsCounted(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, want string
		log        []logged
	}{
		{"sent at once", "2 statements in 1 round trips", []logged{
			{Message: "execute a: /* block.by_hash */ SELECT 1", VXID: "3/1"},
			{Message: "execute b: /* event.of_block */ SELECT 2", VXID: "3/1"},
		}},
		{"one after another", "2 statements in 2 round trips", []logged{
			{Message: "execute a: /* block.by_hash */ SELECT 1", VXID: "3/1"},
			{Message: "execute b: SELECT 2", VXID: "3/2"},
		}},
		{"in a transaction", "2 statements in 2 round trips", []logged{
			{Message: "statement: begin isolation level repeatable read", VXID: "3/1"},
			{Message: "execute a: /* block.by_hash */ SELECT 1", VXID: "3/1"},
			{Message: "execute b: /* event.of_block */ SELECT 2", VXID: "3/1"},
			{Message: "statement: commit", VXID: "3/1"},
		}},
		{"beside the request", "1 statements in 1 round trips", []logged{
			{Message: "execute a: /* quota.charge */ UPDATE", VXID: "4/1"},
			{Message: "execute b: /* block.by_hash */ SELECT 1", VXID: "3/1"},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			lines := append([]logged{{Message: "statement: SELECT 'mark 0 of 7'"}}, c.log...)
			lines = append(lines, logged{Message: "statement: SELECT 'mark 1 of 7'"})
			l := statementLog{folder: t.TempDir(), capture: 7}
			writeLog(t, l.folder, lines)
			requests, err := l.read(1)
			if err != nil {
				t.Fatal(err)
			}
			if got := effort(requests); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func writeLog(t *testing.T, folder string, lines []logged) {
	t.Helper()
	logs := filepath.Join(folder, "cluster", "log")
	if err := os.MkdirAll(logs, 0o700); err != nil {
		t.Fatal(err)
	}
	file, err := os.Create(filepath.Join(logs, "statements.json"))
	if err != nil {
		t.Fatal(err)
	}
	encoder := json.NewEncoder(file)
	for _, line := range lines {
		if err := encoder.Encode(line); err != nil {
			t.Fatal(err)
		}
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
}
