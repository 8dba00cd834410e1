package simnode

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"astrolabe/domain"
	"astrolabe/sim"
	"astrolabe/starknet"
)

// The simulated chain of "up". Its first blocks contain every transaction type
// and event shape.
const (
	firstBlocks = 150
	blockTime   = 4 * time.Second
	// spacing is the mean time between the timestamps of two of the first blocks.
	spacing = 6500 * time.Millisecond
)

// Options configure a simulated node.
type Options struct {
	Chain domain.Chain
	Data  string // the data folder
	// Genesis is the timestamp of block 0 of a new chain, whose blocks are then
	// spaced evenly. If it is zero, the first blocks of a new chain end now, and
	// later ones have the time at which they are mined.
	Genesis time.Time
	Listen  func() (net.Listener, error)
	URLOf   func(net.Listener) string
	Logger  *slog.Logger
}

// Node is a simulated node with an open listener.
type Node struct {
	Chain   domain.Chain
	URL     string
	Samples Samples
	node    *sim.Node
	run     func(context.Context) error
}

// Open creates the node of a chain, or resumes the one in the data folder with the
// time of its block 0. It returns *sim.MismatchError if the folder has a chain of
// another version of the program.
func Open(o Options) (Node, error) {
	if err := os.MkdirAll(o.Data, 0o711); err != nil {
		return Node{}, err
	}
	state := stateFile(o.Data, o.Chain)
	genesis, stored, err := sim.Began(state)
	if err != nil {
		return Node{}, err
	}
	switch {
	case stored:
	case !o.Genesis.IsZero():
		genesis = o.Genesis
	default:
		genesis = time.Now().Add(-firstBlocks * spacing)
	}
	node, err := sim.New(sim.Config{
		Chain: string(o.Chain), Blocks: firstBlocks, BlockTime: blockTime, State: state, Genesis: genesis, Clock: o.Genesis.IsZero(),
	})
	if err != nil {
		return Node{}, err
	}
	samples, err := findSamples(node)
	if err != nil {
		return Node{}, errors.Join(err, node.Close())
	}
	listener, err := o.Listen()
	if err != nil {
		return Node{}, errors.Join(err, node.Close())
	}
	run := func(ctx context.Context) error {
		group, ctx := errgroup.WithContext(ctx)
		group.Go(func() error { return Serve(ctx, listener, node.Handler(), o.Logger) })
		group.Go(func() error { return mine(ctx, node, o.Logger) })
		return errors.Join(group.Wait(), node.Close())
	}
	return Node{Chain: o.Chain, URL: o.URLOf(listener), Samples: samples, node: node, run: run}, nil
}

// Stored reports whether a data folder has the simulated chain.
func Stored(data string, c domain.Chain) bool {
	_, err := os.Stat(stateFile(data, c))
	return err == nil
}

func stateFile(data string, c domain.Chain) string {
	return filepath.Join(data, strings.ToLower(string(c))+".chain")
}

// Run serves the node and adds blocks until ctx ends.
func (n Node) Run(ctx context.Context) error { return n.run(ctx) }

// BlockHash returns the hash of a block, and false if the chain does not have it.
func (n Node) BlockHash(number uint64) (starknet.Felt, bool, error) {
	if number > n.node.Head().Header.BlockNumber {
		return starknet.Felt{}, false, nil
	}
	block, err := n.node.Block(number)
	if err != nil {
		return starknet.Felt{}, false, fmt.Errorf("block %d of the simulated chain: %w", number, err)
	}
	return block.Header.BlockHash, true, nil
}

// mine adds blocks to a simulated chain until ctx ends. A block that a full disk
// cannot store is mined again at the next block time.
func mine(ctx context.Context, node *sim.Node, logger *slog.Logger) error {
	for {
		err := node.Run(ctx)
		if !errors.Is(err, syscall.ENOSPC) {
			return err
		}
		logger.Error("the disk is full: the simulated chain waits for space", "chain", node.Chain(), "error", err)
	}
}
