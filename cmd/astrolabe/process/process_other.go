//go:build !linux

package process

import (
	"errors"
	"os"
)

// Own returns the identity of this process, which says nothing about its start.
func Own(unique string) ID {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return ID{Host: host, PID: os.Getpid(), Unique: unique}
}

func startOf(int) (string, error) { return "", errors.ErrUnsupported }
