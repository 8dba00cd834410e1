package sandbox

import (
	"fmt"
	"slices"
	"strings"
)

// inspection is what a program inside can see and do.
type inspection struct {
	Interfaces   []string // network interfaces
	Socket       string   // error of creating a socket
	Root         []string // entries of the root folder
	Write        string   // error of writing to the root folder
	Environment  []string
	Capabilities []string // masks of capabilities
	NoNewPrivs   string
	UserMap      []string // first user id inside, outside, number of ids
	Seccomp      string
	Unshare      string // error of creating a user namespace
	Processes    int
}

func (i inspection) network() string {
	if !slices.Equal(i.Interfaces, []string{"lo"}) || i.Socket != refusedText {
		return fmt.Sprintf("A program inside sees the network interfaces %s, and creating a socket gives %q.", strings.Join(i.Interfaces, ", "), i.Socket)
	}
	return ""
}

// insideRoot are the entries that the root folder may have.
var insideRoot = []string{"dev", "lib", "lib64", "mnt", "proc", "tmp", "usr"}

func (i inspection) filesystem() string {
	for _, name := range i.Root {
		if !slices.Contains(insideRoot, name) {
			return fmt.Sprintf("A program inside sees /%s.", name)
		}
	}
	if i.Write == "" {
		return "A program inside can write to the root folder."
	}
	return ""
}

func (i inspection) environment() string {
	if len(i.Environment) > 0 {
		return fmt.Sprintf("A program inside has %d environment variables.", len(i.Environment))
	}
	return ""
}

func (i inspection) privileges() string {
	for _, mask := range i.Capabilities {
		if strings.Trim(mask, "0") != "" {
			return fmt.Sprintf("A program inside has capabilities: %s.", mask)
		}
	}
	switch {
	case i.NoNewPrivs != "1":
		return "A program inside can gain privileges by setuid executables."
	case len(i.UserMap) != 3 || i.UserMap[1] == "0":
		return "A program inside runs as root of the host."
	}
	return ""
}

func (i inspection) seccomp() string {
	if i.Seccomp != "2" || i.Unshare != refusedText {
		return fmt.Sprintf("No seccomp filter is active, and creating a user namespace gives %q.", i.Unshare)
	}
	return ""
}

func (i inspection) processTree() string {
	// Bubblewrap's own process and the program.
	if i.Processes > 2 {
		return fmt.Sprintf("A program inside sees %d processes.", i.Processes)
	}
	return ""
}
