package main

import (
	"fmt"
	"runtime"
)

// release is set by the build; a plain go build says "development".
var release = "development"

func version() string { return release }

// versionCommand prints the version.
type versionCommand struct{}

// Run prints one line.
func (versionCommand) Run(c *console) error {
	_, err := fmt.Fprintf(c.stdout, "astrolabe %s (%s, %s/%s)\n", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}
