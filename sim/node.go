package sim

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"sync"
	"time"

	"astrolabe/sim/chain"
	"astrolabe/sim/classes"
	"astrolabe/sim/contract"
	"astrolabe/sim/economy"
	"astrolabe/sim/fault"
	"astrolabe/sim/rpc"
	"astrolabe/sim/vm"
	"astrolabe/starknet"
)

// Node is a simulated node of one chain. It is safe for concurrent use.
type Node struct {
	config  Config
	network economy.Network
	library *contract.Library
	economy *economy.Economy // nil when the chain is replayed
	chain   *chain.Chain
	server  *rpc.Server
	faults  *fault.Set
	// recording is the file that blocks are written to or read from; nil
	// without one.
	recording *chain.Recording
	// predeployed are the accounts for clients.
	predeployed []economy.Account

	mu      sync.Mutex
	stop    context.CancelFunc // nil while not started
	stopped chan error
}

// New returns a node with its first blocks.
func New(config Config) (*Node, error) {
	documents, err := compiledClasses()
	if err != nil {
		return nil, err
	}
	return newNode(config, documents)
}

// compiledClasses reads the class documents once; they are immutable.
var compiledClasses = sync.OnceValues(func() ([]contract.Document, error) {
	all, err := classes.Load()
	if err != nil {
		return nil, err
	}
	documents := make([]contract.Document, len(all))
	for i, c := range all {
		documents[i] = contract.Document{Name: c.Name, Hash: c.Hash, CompiledHash: c.CompiledHash}
		if err := json.Unmarshal(c.Document, &documents[i].Class); err != nil {
			return nil, fmt.Errorf("sim: class %s: %w", c.Name, err)
		}
	}
	return documents, nil
})

func newNode(config Config, documents []contract.Document) (*Node, error) {
	config, err := config.withDefaults()
	if err != nil {
		return nil, err
	}
	n, described, err := assemble(config, documents)
	if err != nil {
		return nil, err
	}
	n.predeployed = economy.Predeploy(config.Seed, config.Predeployed, n.library)
	n.economy = economy.New(n.network, config.Profile, n.library, n.predeployed)
	described.Script = n.economy
	if err := n.begin(described, documents); err != nil {
		return nil, errors.Join(err, n.closeRecording())
	}
	n.serve()
	err = n.Mine(max(0, config.Blocks-int(n.Head().Header.BlockNumber)))
	if err == nil {
		err = n.render()
	}
	if err != nil {
		return nil, errors.Join(err, n.Close())
	}
	return n, nil
}

// begin generates block 0, or loads the blocks of a file.
func (n *Node) begin(described chain.Config, documents []contract.Document) (err error) {
	about := n.config.about(documents)
	switch {
	case n.config.State != "":
		if n.recording, err = openState(n.config.State, about); err != nil {
			return err
		}
		n.chain, err = chain.Resume(described, n.recording)
		return err
	case n.config.Record != "":
		if n.recording, err = chain.CreateRecording(n.config.Record, about); err != nil {
			return err
		}
		described.Archive = n.recording
	}
	n.chain, err = chain.New(described)
	return err
}

// assemble creates the components of a node that do not depend on the source of
// its blocks.
func assemble(config Config, documents []contract.Document) (*Node, chain.Config, error) {
	network, err := economy.NetworkNamed(config.Chain)
	if err != nil {
		return nil, chain.Config{}, err
	}
	library, err := contract.NewLibrary(documents)
	if err != nil {
		return nil, chain.Config{}, err
	}
	described := chain.Config{
		Seed: config.Seed, Genesis: uint64(config.Genesis.Unix()), Spacing: config.spacing(),
		Window: config.Window, L1Lag: uint64(config.L1Lag),
		Machine: &vm.Machine{Library: library, ChainID: network.ID, Strk: network.Strk, Eth: network.Eth, CompiledHash: classes.CompiledHash},
		Bring: func(f chain.Foreign) {
			library.Bring(&vm.Class{Hash: f.Hash, Document: f.Class})
		},
	}
	return &Node{config: config, network: network, library: library, faults: &fault.Set{}}, described, nil
}

func (n *Node) serve() {
	n.server = rpc.NewServer(rpc.Options{
		Chain: n.chain, Library: n.library, ChainID: n.network.ID, OtherID: otherChain(n.network.Name),
		SpecVersion: n.config.SpecVersion, Faults: n.faults, Rendered: n.config.Rendered, Devnet: n.devnet(),
	})
}

// render fills the folder of rendered responses, if configured.
func (n *Node) render() error {
	if n.config.Rendered == "" {
		return nil
	}
	return n.server.Render()
}

func otherChain(name string) starknet.Felt {
	if name == "SN_MAIN" {
		return starknet.MustShortString("SN_SEPOLIA")
	}
	return starknet.MustShortString("SN_MAIN")
}

// Handler serves JSON-RPC by POST and WebSocket at any path.
func (n *Node) Handler() http.Handler { return n.server }

// Mine adds blocks.
func (n *Node) Mine(blocks int) error { return n.chain.Mine(blocks) }

// Reorg replaces the newest blocks by as many others and notifies subscribers.
// Most transactions of the old blocks are in the new ones again. It returns
// chain.ErrAcceptedOnL1 for blocks that are accepted on L1, unless the fault
// L1Reorg is active.
func (n *Node) Reorg(depth int) error {
	_, anyway := n.faults.Strike(fault.L1Reorg, "")
	return n.chain.Reorg(depth, anyway)
}

// Fault adds a fault.
func (n *Node) Fault(f fault.Fault) error { return n.faults.Add(f) }

// ClearFaults removes the faults of the given kinds, or all of them.
func (n *Node) ClearFaults(kinds ...fault.Kind) { n.faults.Clear(kinds...) }

// Struck returns how many calls faults of a kind have applied to.
func (n *Node) Struck(kind fault.Kind) int { return n.faults.Struck(kind) }

// Counts returns the number of received calls by method.
func (n *Node) Counts() map[string]uint64 { return maps.Clone(n.server.Counts()) }

// Run adds a block every BlockTime until ctx ends or an error occurs. Without a
// BlockTime, and at the end of a recording, it only waits.
func (n *Node) Run(ctx context.Context) error {
	if n.config.BlockTime == 0 {
		<-ctx.Done()
		return nil
	}
	ticker := time.NewTicker(n.config.BlockTime)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
			if err := n.tick(); err != nil && !errors.Is(err, chain.ErrRecordingEnded) {
				return err
			}
		}
	}
}

// ErrRunning reports that the node was started twice.
var ErrRunning = errors.New("sim: the clock is running already")

// Start is like Run in the background, until Stop is called or ctx ends.
func (n *Node) Start(ctx context.Context) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.stop != nil {
		return ErrRunning
	}
	ctx, n.stop = context.WithCancel(ctx)
	n.stopped = make(chan error, 1)
	go func(stopped chan<- error) { stopped <- n.Run(ctx) }(n.stopped)
	return nil
}

// Stop stops what Start started and returns its error. It may be called more
// than once.
func (n *Node) Stop() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.stop == nil {
		return nil
	}
	n.stop()
	n.stop = nil
	return <-n.stopped
}

// tick adds a block, and causes a reorg if that fault is active.
func (n *Node) tick() error {
	if n.config.Clock {
		now := max(uint64(time.Now().Unix()), n.Head().Header.Timestamp) //nolint:gosec // The time is after 1970.
		if err := n.chain.SetTime(now); err != nil && !errors.Is(err, chain.ErrRecorded) {
			return err
		}
	}
	if err := n.Mine(1); err != nil {
		return err
	}
	if f, struck := n.faults.Strike(fault.Reorg, ""); struck {
		return n.Reorg(max(int(f.Depth), 1))
	}
	return nil
}

// Close stops the node, ends all subscriptions and closes the recording. A
// chain with a State can be resumed later, with or without Close.
func (n *Node) Close() error {
	err := n.Stop()
	n.server.Close()
	return errors.Join(err, n.closeRecording())
}

func (n *Node) closeRecording() error {
	if n.recording == nil {
		return nil
	}
	return n.recording.Close()
}
