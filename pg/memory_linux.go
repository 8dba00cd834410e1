package pg

import (
	"os"
	"regexp"
	"strconv"
	"strings"
)

var memTotal = regexp.MustCompile(`(?m)^MemTotal:\s+(\d+) kB$`)

// machineMemory returns the memory of this machine or container in bytes.
func machineMemory() uint64 {
	memory := uint64(assumedMemory)
	if content, err := os.ReadFile("/proc/meminfo"); err == nil {
		if match := memTotal.FindSubmatch(content); match != nil {
			if kilobytes, err := strconv.ParseUint(string(match[1]), 10, 54); err == nil {
				memory = kilobytes << 10
			}
		}
	}
	for _, limit := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		if content, err := os.ReadFile(limit); err == nil {
			if bytes, err := strconv.ParseUint(strings.TrimSpace(string(content)), 10, 64); err == nil {
				memory = min(memory, bytes)
			}
		}
	}
	return memory
}
