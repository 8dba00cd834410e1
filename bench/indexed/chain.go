package indexed

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

	"astrolabe/bench/load"
	"astrolabe/sim"
	"astrolabe/sim/chain"
)

// eventsPerBlock is about the number in a busy block of mainnet.
const eventsPerBlock = 1000

// leastEvents is the size of a history that is long enough to be backfilled.
const leastEvents = 300 * eventsPerBlock

// chainBytes is the disk space of an event, recorded and rendered.
const chainBytes = 1000

// Chain is a chain in a folder. It grows when more blocks are needed.
type Chain struct{ Folder string }

func (c Chain) file() string { return filepath.Join(c.Folder, "chain") }

// config keeps few blocks in memory: the others are read from the file.
func (c Chain) config(blocks int) sim.Config {
	return sim.Config{
		Blocks: blocks, Profile: sim.Bulk(eventsPerBlock), Window: 16,
		Rendered: filepath.Join(c.Folder, "rendered"),
	}
}

// BlocksFor returns how many blocks have about this many events. The first
// blocks have none: they deploy the contracts.
func BlocksFor(events int) int { return events/eventsPerBlock + 6 }

// open replays the first blocks. It first generates those that the file does
// not have.
func (c Chain) open(blocks int) (*sim.Node, error) {
	if err := os.MkdirAll(c.Folder, 0o700); err != nil {
		return nil, err
	}
	node, err := sim.Replay(c.file(), c.config(blocks))
	if errors.Is(err, chain.ErrNotARecording) { // of an earlier version
		if err := errors.Join(os.Remove(c.file()), os.RemoveAll(c.config(0).Rendered)); err != nil {
			return nil, err
		}
		return c.open(blocks)
	}
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

// Prepare generates everything that later runs at these numbers of events need,
// so that none of them waits.
func (c Chain) Prepare(sizes []int) error {
	if err := c.room(sizes[len(sizes)-1]); err != nil {
		return err
	}
	for _, events := range sizes {
		node, err := c.open(BlocksFor(events))
		if err != nil {
			return err
		}
		if err := node.Close(); err != nil {
			return err
		}
	}
	return nil
}

// room checks that the disk has space for the chain.
func (c Chain) room(events int) error {
	if err := os.MkdirAll(c.Folder, 0o700); err != nil {
		return err
	}
	there, err := c.size()
	if err != nil {
		return err
	}
	return CheckRoom(c.Folder, int64(events)*chainBytes-there)
}

// size returns the current size of the folder in bytes.
func (c Chain) size() (bytes int64, err error) {
	err = filepath.WalkDir(c.Folder, func(_ string, entry fs.DirEntry, err error) error {
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

// Serve replays the first blocks until the input ends. It prints its address
// when it is ready.
func (c Chain) Serve(ctx context.Context, blocks int) error {
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

// Start runs this program again as the node, until stop is called.
func (c Chain) Start(ctx context.Context, blocks int) (url string, stop func(), err error) {
	command := exec.CommandContext(ctx, os.Args[0], "-serve", strconv.Itoa(blocks), "-chain", c.Folder) //nolint:gosec // this program
	address, stop, err := load.Start(command)
	return "http://" + address, stop, err
}

// CheckRoom returns an error if the disk has less free space than needed.
func CheckRoom(folder string, need int64) error {
	var stat syscall.Statfs_t
	if err := syscall.Statfs(folder, &stat); err != nil {
		return fmt.Errorf("%s: %w", folder, err)
	}
	free := int64(stat.Bavail) * stat.Bsize //nolint:gosec // no disk is that large
	if free < need {
		return fmt.Errorf("%s has %.1f GB of free space, but %.1f GB may be needed", folder, float64(free)/1e9, float64(need)/1e9)
	}
	return nil
}
