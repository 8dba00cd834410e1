package pg

import "testing"

const runningPIDFile = "4242\n/data/cluster\n1700000000\n5432\n/data/socket\n\n  123456         7\nready   \n"

func TestPartiallyWrittenPIDFileIsParsed(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]pidFile{
		runningPIDFile:      {pid: 4242, ready: true},
		runningPIDFile[:60]: {pid: 4242},
		"4242\n/data\n1\n5432\n/s\n\n 1 2\nstarting\n": {pid: 4242},
		"4242\n/data\n1\n5432\n/s\n\n 1 2\nstopping\n": {pid: 4242},
		"-77\n/data\n":         {pid: 77},
		"":                     {},
		"ready\n":              {},
		"99999999999999999999": {},
	} {
		if got := parsePIDFile(content); got != want {
			t.Errorf("parsePIDFile(%q) = %+v, want %+v", content, got, want)
		}
	}
}

func FuzzPIDFile(f *testing.F) {
	f.Add(runningPIDFile)
	f.Add("-1\n")
	f.Add("-2147483648")
	f.Fuzz(func(t *testing.T, content string) {
		if got := parsePIDFile(content); got.pid < 0 || (got.ready && len(content) < len("0\n\n\n\n\n\n\nready")) {
			t.Fatalf("parsePIDFile(%q): got %+v, want a valid pid, and ready only for a complete file", content, got)
		}
	})
}
