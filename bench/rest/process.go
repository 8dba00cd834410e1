package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// service configures the served program.
type service struct {
	uncached bool // without the cache of finalized facts
	logged   bool // the database logs its statements
}

// withService runs the program while act measures it.
func (b *bench) withService(ctx context.Context, s service, act func(base string) error) error {
	arguments := []string{"serve", "--data", b.data, "--addr", "127.0.0.1:0", "--admin-addr", "",
		"--database-conns", strconv.Itoa(2*connections + 4), "--log-level", "error"}
	if s.uncached {
		arguments = append(arguments, "--cache-mb", "0")
	}
	database := b.db.URL
	if s.logged {
		database += "&" + url.Values{"log_statement": {"all"}}.Encode()
	}
	command := exec.CommandContext(context.WithoutCancel(ctx), b.program, arguments...) //nolint:gosec // the program to measure
	command.Env = append(os.Environ(), databaseVariable+"="+database)
	return whileRunning(ctx, command, act)
}

// whileRunning runs a program that prints its address first, until act is
// done.
func whileRunning(ctx context.Context, command *exec.Cmd, act func(base string) error) error {
	var messages bytes.Buffer
	command.Stderr = &messages
	output, err := command.StdoutPipe()
	if err != nil {
		return err
	}
	if err := command.Start(); err != nil {
		return err
	}
	end := context.AfterFunc(ctx, func() { _ = command.Process.Kill() })
	defer func() {
		end()
		_ = command.Process.Signal(syscall.SIGTERM)
		_ = command.Wait()
	}()
	lines := bufio.NewReader(output)
	first, err := lines.ReadString('\n')
	if err != nil {
		return fmt.Errorf("%s did not start: %w: %s", command.Path, err, messages.String())
	}
	go func() { _, _ = io.Copy(io.Discard, lines) }()
	words := strings.Fields(first)
	return act(words[len(words)-1])
}

// issueKey issues a key with the highest rate limits, so that no request is
// rejected.
func (b *bench) issueKey(ctx context.Context) (string, error) {
	arguments := []string{"keys", "create", "--data", b.data, "--workspace", "bench", "--create-workspace", "--permissions", "read,batch", "--log-level", "error"}
	for _, class := range []string{"light", "heavy", "batch"} {
		arguments = append(arguments, "--budget", class+"=50000000")
	}
	command := exec.CommandContext(ctx, b.program, arguments...) //nolint:gosec // the program to measure
	command.Env = append(os.Environ(), databaseVariable+"="+b.db.URL)
	output, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("issue a key: %w", err)
	}
	return strings.TrimSpace(string(output)), nil
}
