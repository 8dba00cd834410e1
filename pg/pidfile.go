package pg

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// pidFile is the content of the postmaster.pid of a running server.
type pidFile struct {
	pid   int
	ready bool // it accepts connections
}

func pidFilePath(cluster string) string { return filepath.Join(cluster, "postmaster.pid") }

func readPIDFile(cluster string) (pidFile, error) {
	content, err := os.ReadFile(pidFilePath(cluster))
	if err != nil {
		return pidFile{}, err
	}
	return parsePIDFile(string(content)), nil
}

// parsePIDFile parses the first line, a process id (negative in single-user
// mode), and the eighth, the state. The server writes the file line by line, so
// missing or malformed lines mean no process and not ready.
func parsePIDFile(content string) pidFile {
	lines := strings.Split(content, "\n")
	pid, err := strconv.ParseInt(strings.TrimSpace(lines[0]), 10, 32)
	if err != nil {
		return pidFile{}
	}
	return pidFile{
		pid:   int(max(pid, -pid)),
		ready: len(lines) > 7 && strings.TrimSpace(lines[7]) == "ready",
	}
}
