//go:build failpoints

package failpoint

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

var (
	mu     sync.Mutex
	passes = map[string]int{}
)

// Hit ends the process with SIGKILL when ASTROLABE_FAILPOINT names this point
// and this pass of it.
func Hit(name string) {
	mu.Lock()
	defer mu.Unlock()
	passes[name]++
	record(name)
	target, count, counted := strings.Cut(os.Getenv("ASTROLABE_FAILPOINT"), ":")
	pass := 1
	if counted {
		pass, _ = strconv.Atoi(count)
	}
	if target == name && passes[name] == pass {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {} // nothing may run until the signal arrives
	}
}

func record(name string) {
	path := os.Getenv("ASTROLABE_FAILPOINT_LOG")
	if path == "" {
		return
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	defer file.Close()
	fmt.Fprintln(file, name)
}
