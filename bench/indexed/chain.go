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
)

// eventsPerBlock is about as many as a busy block of mainnet has.
const eventsPerBlock = 1000

// leastEvents is a history that is long enough to be loaded in bulk.
const leastEvents = 300 * eventsPerBlock

// chainBytes is what an event takes on disk, recorded and rendered.
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

// BlocksFor is how many blocks hold about so many events. The first ones have
// none: they deploy what the others use.
func BlocksFor(events int) int { return events/eventsPerBlock + 6 }

// open replays the first blocks, and makes those first that the file does not
// have.
func (c Chain) open(blocks int) (*sim.Node, error) {
	if err := os.MkdirAll(c.Folder, 0o700); err != nil {
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

// Prepare makes everything that later runs at these numbers of events need, so
// that none of them waits.
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

// room makes sure that the disk can hold the chain.
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

// size is what the folder holds already, in bytes.
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
	command := exec.CommandContext(ctx, os.Args[0], "-serve", strconv.Itoa(blocks), "-chain", c.Folder) //nolint:gosec // this very program
	address, stop, err := load.Start(command)
	return "http://" + address, stop, err
}

// CheckRoom refuses to begin what the disks cannot hold.
func CheckRoom(folder string, need int64) error {
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
