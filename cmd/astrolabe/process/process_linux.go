package process

import (
	"fmt"
	"os"
	"strings"
)

// Own returns the identity of this process.
func Own(unique string) ID {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	id := ID{Host: host, PID: os.Getpid(), Unique: unique}
	if boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id"); err == nil {
		id.Boot = strings.TrimSpace(string(boot))
	}
	if space, err := os.Readlink("/proc/self/ns/pid"); err == nil {
		id.Space = space
	}
	if began, err := startOf(id.PID); err == nil {
		id.Began = began
	}
	return id
}

// startOf returns when a process started, from the 22nd field of its stat. The
// second one may contain spaces and ends with the last parenthesis. A zombie counts
// as gone: it does nothing any more.
func startOf(pid int) (string, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", err
	}
	text := string(stat)
	fields := strings.Fields(text[strings.LastIndexByte(text, ')')+1:])
	if len(fields) < 20 {
		return "", fmt.Errorf("/proc/%d/stat is malformed", pid)
	}
	if fields[0] == "Z" || fields[0] == "X" {
		return "", os.ErrNotExist
	}
	return fields[19], nil
}
