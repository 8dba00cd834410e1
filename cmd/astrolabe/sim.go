package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"golang.org/x/sync/errgroup"

	"astrolabe/cmd/astrolabe/simnode"
	"astrolabe/domain"
	"astrolabe/sim"
	"astrolabe/sim/fault"
	"astrolabe/sim/prover"
	"astrolabe/starknet"
)

// simCommand runs a simulated node.
type simCommand struct {
	Seed        uint64        `help:"Seed of the generated chain. Equal seeds give equal chains." default:"0"`
	Chain       domain.Chain  `help:"Chain to simulate: SN_MAIN or SN_SEPOLIA." default:"SN_MAIN"`
	Blocks      int           `help:"Number of blocks to generate at startup, after block 0." default:"250"`
	BlockTime   time.Duration `help:"Time between two blocks. 0 adds no blocks after startup." default:"4s"`
	Genesis     time.Time     `help:"Timestamp of block 0. Default: 2026-01-01T00:00:00Z." placeholder:"TIME"`
	Accounts    int           `help:"Number of predeployed accounts for clients. Their addresses and private keys are printed at startup." default:"10"`
	Events      int           `help:"Generate a chain for load tests, with about this many events per block, instead of the default chain." placeholder:"N"`
	Window      int           `help:"Number of newest blocks whose state is kept." default:"2048"`
	L1Lag       int           `name:"l1-lag" env:"ASTROLABE_L1_LAG" help:"Number of blocks that L1 acceptance lags behind the head." default:"12"`
	Addr        string        `help:"Listen address of the JSON-RPC endpoint, which serves HTTP and WebSocket at any path." default:"127.0.0.1:9545"`
	ControlAddr string        `help:"Listen address of the control endpoint, which mines blocks, causes reorgs, injects faults and returns counters. Keep it private. Leave it empty to disable."`
	Record      string        `help:"Write every block to this new file, and read blocks older than the window from it." type:"path" placeholder:"FILE" xor:"file"`
	State       string        `help:"Store the chain in this file and resume it at the next start." type:"path" placeholder:"FILE" xor:"file"`
	Replay      string        `help:"Replay the chain in this file instead of generating one." type:"path" placeholder:"FILE" xor:"file"`
	Rendered    string        `help:"Cache rendered block responses in this folder." type:"path" placeholder:"DIR"`
	Fault       []string      `help:"Inject a fault, for example latency,delay=200ms or error,code=-32005,every=10 or reorg,depth=3,every=20 or lie,lie=event.data,block=12. Repeatable." sep:"none" placeholder:"FAULT"`
}

// Validate checks the addresses before anything starts.
func (s simCommand) Validate() error {
	if s.ControlAddr == "" {
		return checkAddress("--addr", s.Addr)
	}
	return firstError(checkAddress("--addr", s.Addr), checkAddress("--control-addr", s.ControlAddr))
}

// Run serves the node until a stop signal.
func (s simCommand) Run(ctx context.Context, c *console) error {
	node, err := s.node()
	if err != nil {
		return err
	}
	err = s.serve(ctx, c, node)
	return errors.Join(err, node.Close())
}

// node builds the chain.
func (s simCommand) node() (*sim.Node, error) {
	config := sim.Config{
		Seed: s.Seed, Chain: string(s.Chain), Blocks: s.Blocks, BlockTime: s.BlockTime, Genesis: s.Genesis,
		Predeployed: s.Accounts, Window: s.Window, L1Lag: s.L1Lag, Record: s.Record, State: s.State, Rendered: s.Rendered,
	}
	if s.Events > 0 {
		config.Profile = sim.Bulk(s.Events)
	}
	build := sim.New
	if s.Replay != "" {
		build = func(config sim.Config) (*sim.Node, error) { return sim.Replay(s.Replay, config) }
	}
	node, err := build(config)
	if err != nil {
		return nil, usageError{err}
	}
	for _, text := range s.Fault {
		f, err := fault.Parse(text)
		if err == nil {
			err = node.Fault(f)
		}
		if err != nil {
			return nil, errors.Join(usageError{fmt.Errorf("--fault %s: %w", text, err)}, node.Close())
		}
	}
	return node, nil
}

func (s simCommand) serve(ctx context.Context, c *console, node *sim.Node) error {
	public, err := listenOn(ctx, s.Addr, "--addr")
	if err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	s.describe(c, public, node)
	group.Go(func() error { return simnode.Serve(ctx, public, node.Handler(), c.logger) })
	if s.ControlAddr != "" {
		control, err := listenOn(ctx, s.ControlAddr, "--control-addr")
		if err != nil {
			return errors.Join(err, public.Close(), group.Wait())
		}
		if c.json {
			c.announce("Control", "http://"+control.Addr().String(), "")
		} else {
			fmt.Fprintf(c.stdout, "Control  http://%s\n", control.Addr())
		}
		group.Go(func() error { return simnode.Serve(ctx, control, node.Control(), c.logger) })
	}
	group.Go(func() error { return node.Run(ctx) })
	return group.Wait()
}

// describe prints the address of the node and its accounts, as lines of the log if
// that is JSON.
func (s simCommand) describe(c *console, public net.Listener, node *sim.Node) {
	head := node.Head().Header.BlockNumber
	if c.json {
		c.announce("Node", "http://"+public.Addr().String(), fmt.Sprintf("%s at block %d", node.Chain(), head))
	} else {
		fmt.Fprintf(c.stdout, "Node     http://%s and ws://%s, %s at block %d\n", public.Addr(), public.Addr(), node.Chain(), head)
	}
	for _, a := range node.Predeployed() {
		if c.json {
			c.logger.Info("predeployed account", "address", a.Address, "privateKey", starknet.Felt(a.Key))
		} else {
			fmt.Fprintf(c.stdout, "Account  %s, private key %s\n", a.Address, starknet.Felt(a.Key))
		}
	}
}

// demoProof is how long the simulated prover of "up" takes for a proof.
const demoProof = 3 * time.Second

// simulateProver creates a simulated prover on a free port of the loopback interface.
func (d *deployment) simulateProver(ctx context.Context) (url string, run component, err error) {
	listener, err := listenOn(ctx, "127.0.0.1:0", "the simulated prover")
	if err != nil {
		return "", nil, err
	}
	handler := prover.New(prover.Options{Work: demoProof})
	return urlOf(listener), func(ctx context.Context) error { return simnode.Serve(ctx, listener, handler, d.logger) }, nil
}
