package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"astrolabe/cmd/astrolabe/relay"
	"astrolabe/cmd/astrolabe/simnode"
	"astrolabe/domain"
	"astrolabe/sim"
)

// upCommand runs everything in one process.
type upCommand struct {
	databaseSettings `group:"Database"`
	secretSettings   `group:"Database"`
	listenSettings   `group:"API"`
	workSettings     `group:"Background jobs"`
	nodeSettings     `group:"Nodes"`
	indexSettings    `group:"Indexer"`
	verifierSettings `group:"Verification"`
	relay.Settings   `group:"Prover relay"`
	Simulate         bool      `help:"Simulate the chains if no node is set. Chains are never simulated next to real ones." default:"true" negatable:""`
	SimulateFrom     time.Time `help:"Timestamp of block 0 of a new simulated chain, whose blocks are then about 6 seconds apart. Default: blocks have the current time." placeholder:"TIME"`
	AdminAddr        string    `help:"Listen address for metrics, profiles and health checks. Keep it private. Leave it empty to disable." default:"127.0.0.1:8081"`
}

// Validate checks the settings before anything starts.
func (u upCommand) Validate() error {
	if u.SimulateFrom.After(time.Now()) {
		return errors.New("--simulate-from must not be in the future")
	}
	return firstError(u.databaseSettings.check(), u.secretSettings.check(u.Data), u.listenSettings.check(), u.workSettings.check(),
		u.checkNodes(), u.indexSettings.check(), u.quorum(u.NodeQuorum, u.simulated()...), u.verifierSettings.check(), u.CheckProver(u.Chains, true), checkAdmin(u.AdminAddr))
}

// Run starts all components, prints their URLs and runs until a stop signal.
func (u upCommand) Run(ctx context.Context, c *console) error {
	if err := free(ctx, map[string]string{"--addr": u.Addr, "--admin-addr": u.AdminAddr, "--internal-addr": u.InternalAddr}); err != nil {
		return err
	}
	d, err := openDeployment(ctx, c, u.databaseSettings, u.secretSettings, mayCreate)
	if err != nil {
		return err
	}
	return d.run(ctx, u.AdminAddr, func(operators *admin) ([]component, error) { return u.start(ctx, d, operators) })
}

func (u upCommand) start(ctx context.Context, d *deployment, operators *admin) ([]component, error) {
	if err := u.checkKind(ctx, d); err != nil {
		return nil, err
	}
	simulations, err := u.simulate(ctx, d)
	if err != nil {
		return nil, err
	}
	nodes := u.nodeSettings
	var components []component
	for _, node := range simulations {
		if err := d.sameSimulation(ctx, node); err != nil {
			return nil, err
		}
		nodes.add(node.Chain, node.URL)
		components = append(components, node.Run, d.revokeSample(node))
	}
	u.served = true
	indexers, err := d.indexers(nodes, u.indexSettings, len(simulations) > 0)
	if err != nil {
		return nil, err
	}
	work, err := d.worker(u.workSettings, nodes)
	if err != nil {
		return nil, err
	}
	verifiers, err := d.verifiers(ctx, u.verifierSettings, u.Data, u.DatabaseSchema, slices.Contains(u.simulated(), domain.Mainnet))
	if err != nil {
		return nil, err
	}
	api, err := u.listen(ctx, d, nodes)
	if err != nil {
		return nil, err
	}
	demo, err := d.demo(ctx, u.Data, api, operators, simulations, len(u.Chains))
	if err != nil {
		return nil, err
	}
	if err := demo.write(u.Data); err != nil {
		return nil, err
	}
	for _, node := range simulations {
		d.announce("Node", node.URL, string(node.Chain)+", simulated")
	}
	api.announce(d.console, operators)
	return slices.Concat(components, indexers, verifiers, []component{work, api.run}), nil
}

// listen opens the API and, if it is set, a simulated prover. That stops after the
// API, so that the relay can wait for its answers.
func (u upCommand) listen(ctx context.Context, d *deployment, nodes nodeSettings) (*api, error) {
	if u.Prover != relay.Simulated {
		return d.listen(ctx, u.listenSettings, nodes, u.Settings)
	}
	url, run, err := d.simulateProver(ctx)
	if err != nil {
		return nil, err
	}
	prover := u.Settings
	prover.Prover = relay.URL(url)
	api, err := d.listen(ctx, u.listenSettings, nodes, prover)
	if err != nil {
		return nil, err
	}
	api.background = append(api.background, run)
	d.announce("Prover", url, "simulated")
	return api, nil
}

// simulated returns the chains that are simulated: all of them if no node is set,
// and none otherwise.
func (u upCommand) simulated() []domain.Chain {
	if !u.Simulate || len(u.NodeMain)+len(u.NodeSepolia) > 0 {
		return nil
	}
	return u.Chains
}

// checkKind refuses to add simulated chains to a deployment with real ones, and the
// other way round.
func (u upCommand) checkKind(ctx context.Context, d *deployment) error {
	if len(u.simulated()) > 0 {
		return d.mustHoldNoReal(ctx, u.Data)
	}
	return d.mustHoldNoSimulated(ctx, u.nodeSettings)
}

// simulate starts a simulated node for each served chain, concurrently: generating
// the first blocks takes a second or two.
func (u upCommand) simulate(ctx context.Context, d *deployment) ([]simnode.Node, error) {
	chains := u.simulated()
	nodes := make([]simnode.Node, len(chains))
	var group errgroup.Group
	for i, chain := range chains {
		group.Go(func() (err error) {
			nodes[i], err = simnode.Open(simnode.Options{
				Chain: chain, Data: u.Data, Genesis: u.SimulateFrom, Logger: d.logger, URLOf: urlOf,
				Listen: func() (net.Listener, error) { return listenOn(ctx, "127.0.0.1:0", "the simulated node") },
			})
			if mismatch, ok := errors.AsType[*sim.MismatchError](err); ok {
				return usageError{fmt.Errorf("the simulated chain in this data folder belongs to another version: %w; use another data folder, or --no-simulate", mismatch)}
			}
			return err
		})
	}
	return nodes, group.Wait()
}
