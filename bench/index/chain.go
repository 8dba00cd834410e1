package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"astrolabe/sim"
)

// eventsPerBlock is about as many as a busy block of mainnet has.
const eventsPerBlock = 1000

// leastEvents is a history that is long enough to be loaded in bulk.
const leastEvents = 300 * eventsPerBlock

// What an event takes on disk, in bytes: recorded and rendered in the chain's
// folder; as rows, as rows once more for each comparison, and in the log of
// changes in the folder of databases.
const (
	chainBytes    = 1000
	databaseBytes = 2400
)

// recordedChain is a chain in a folder. It grows when more blocks are needed.
type recordedChain struct{ folder string }

func (c recordedChain) file() string { return filepath.Join(c.folder, "chain") }

// config keeps few blocks in memory: the others are read from the file.
func (c recordedChain) config(blocks int) sim.Config {
	return sim.Config{
		Blocks: blocks, Profile: sim.Bulk(eventsPerBlock), Window: 16,
		Rendered: filepath.Join(c.folder, "rendered"),
	}
}

// blocksFor is how many blocks hold about so many events. The first ones have
// none: they deploy what the others use.
func blocksFor(events int) int { return events/eventsPerBlock + 6 }

// open replays the first blocks, and makes those first that the file does not
// have.
func (c recordedChain) open(blocks int) (*sim.Node, error) {
	if err := os.MkdirAll(c.folder, 0o700); err != nil {
		return nil, err
	}
	node, err := sim.Replay(c.file(), c.config(blocks))
	if err == nil && node.Head().Header.BlockNumber >= uint64(blocks) {
		return node, nil
	}
	if err == nil {
		err = node.Close()
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	grown := c.config(blocks)
	grown.State, grown.Rendered = c.file(), ""
	if node, err = sim.New(grown); err != nil {
		return nil, err
	}
	if err := node.Close(); err != nil {
		return nil, err
	}
	return sim.Replay(c.file(), c.config(blocks))
}

// size is what the folder holds already, in bytes.
func (c recordedChain) size() (bytes int64, err error) {
	err = filepath.WalkDir(c.folder, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			bytes += info.Size()
		}
		return err
	})
	return bytes, err
}

// prepare makes everything that later runs need, so that none of them waits.
func (c recordedChain) prepare(blocks int) error {
	node, err := c.open(blocks)
	if err != nil {
		return err
	}
	return node.Close()
}

// serve replays the first blocks until the input ends. It prints its address
// when it is ready.
func (c recordedChain) serve(ctx context.Context, blocks int) error {
	node, err := c.open(blocks)
	if err != nil {
		return err
	}
	defer func() { _ = node.Close() }()
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(listener.Addr())
	server := &http.Server{Handler: node.Handler(), ReadHeaderTimeout: time.Second}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		_ = server.Close()
	}()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// start runs this program again as the node.
func (c recordedChain) start(ctx context.Context, blocks int) (url string, stop func(), err error) {
	command := exec.CommandContext(ctx, os.Args[0], "-serve", strconv.Itoa(blocks), "-chain", c.folder) //nolint:gosec // this very program
	command.Stderr = os.Stderr
	input, err := command.StdinPipe()
	if err != nil {
		return "", nil, err
	}
	output, err := command.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := command.Start(); err != nil {
		return "", nil, err
	}
	stop = func() { _ = input.Close(); _ = command.Wait() }
	var address string
	if _, err := fmt.Fscanln(output, &address); err != nil {
		stop()
		return "", nil, fmt.Errorf("the simulated node did not start: %w", err)
	}
	return "http://" + address, stop, nil
}

// checkRoom refuses to begin what the disks cannot hold.
func checkRoom(folder string, need int64) error {
	var stat syscall.Statfs_t
	if err := syscall.Statfs(folder, &stat); err != nil {
		return fmt.Errorf("%s: %w", folder, err)
	}
	free := int64(stat.Bavail) * stat.Bsize //nolint:gosec // no disk is that large
	if free < need {
		return fmt.Errorf("%s has %.1f GB of room, and %.1f GB may be needed", folder, float64(free)/1e9, float64(need)/1e9)
	}
	return nil
}
