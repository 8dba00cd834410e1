package process

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// ID identifies a process: on one machine since its start, in one namespace of
// process ids, no two have the same. Where the system does not tell these, only
// Unique distinguishes processes.
type ID struct {
	Host   string
	Boot   string // the machine and its start
	Space  string // the namespace of the process id, which differs between containers
	PID    int
	Began  string // when the process started, in ticks since the machine's start
	Unique string // drawn at random
}

// String returns the text that Parse reads.
func (i ID) String() string {
	return strings.Join([]string{i.Host, i.Boot, i.Space, strconv.Itoa(i.PID), i.Began, i.Unique}, "/")
}

// Parse reads an identity. It is false for other texts.
func Parse(text string) (ID, bool) {
	parts := strings.Split(text, "/")
	if len(parts) != 6 {
		return ID{}, false
	}
	pid, err := strconv.Atoi(parts[3])
	return ID{Host: parts[0], Boot: parts[1], Space: parts[2], PID: pid, Began: parts[4], Unique: parts[5]}, err == nil
}

// Describe names a process for people.
func Describe(text string) string {
	if id, ok := Parse(text); ok {
		return fmt.Sprintf("process %d on %s", id.PID, id.Host)
	}
	return text
}

// Gone reports whether a process has provably ended: it ran on this machine since
// its start, in this namespace, and no process with its id and start is left. It is
// false where that cannot be known.
func Gone(text string) bool {
	id, ok := Parse(text)
	if !ok || id.Boot == "" || id.Space == "" || id.Began == "" {
		return false
	}
	if own := Own(""); id.Boot != own.Boot || id.Space != own.Space {
		return false
	}
	began, err := startOf(id.PID)
	return os.IsNotExist(err) || err == nil && began != id.Began
}
