package sandbox

import "fmt"

// entries are the functions that may run inside, by name.
var entries = map[string]func() int{}

// reexecuted says that Reexec was called, so that this executable can be the first process of a sandbox.
var reexecuted bool

// Register names a function that jobs may run inside the sandbox; its result is the exit code. It is
// called by init functions, and panics if the name is taken.
func Register(name string, entry func() int) {
	if entries[name] != nil {
		panic(fmt.Sprintf("sandbox: the entry point %q is registered twice", name))
	}
	entries[name] = entry
}
