package main

import (
	"context"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"astrolabe/cmd/astrolabe/relay"
	"astrolabe/domain"
)

// upCommand runs everything in one process.
type upCommand struct {
	databaseSettings
	secretSettings
	listenSettings
	workSettings
	nodeSettings
	indexSettings
	verifierSettings
	relay.Settings
	Simulate  bool   `help:"Simulate the chains that have no node." default:"true" negatable:""`
	AdminAddr string `help:"Listen address for metrics, profiles and health checks. Keep it private. Leave it empty to disable." default:"127.0.0.1:8081"`
}

// Validate checks the settings before anything starts.
func (u upCommand) Validate() error {
	return firstError(u.databaseSettings.check(), u.listenSettings.check(), u.workSettings.check(),
		u.distinct(), u.indexSettings.check(), u.quorum(u.NodeQuorum, u.simulated()...), u.verifierSettings.check(), u.CheckProver(u.Chains, true), checkAdmin(u.AdminAddr))
}

// Run starts all components, prints their URLs and runs until a stop signal.
func (u upCommand) Run(ctx context.Context, c *console) error {
	d, err := openDeployment(ctx, c, u.databaseSettings, u.secretSettings, mayCreate)
	if err != nil {
		return err
	}
	return d.run(ctx, u.AdminAddr, func(operators *admin) ([]component, error) { return u.start(ctx, d, operators) })
}

func (u upCommand) start(ctx context.Context, d *deployment, operators *admin) ([]component, error) {
	simulated, err := u.simulate(ctx, d)
	if err != nil {
		return nil, err
	}
	nodes := u.nodeSettings
	var components []component
	for _, node := range simulated {
		nodes.add(node.chain, node.url)
		components = append(components, node.run, d.revokeSample(node))
	}
	indexers, err := d.indexers(nodes, u.indexSettings)
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
	demo, err := d.demo(ctx, u.Data, api, operators, simulated, len(u.Chains))
	if err != nil {
		return nil, err
	}
	if err := demo.write(u.Data); err != nil {
		return nil, err
	}
	for _, node := range simulated {
		fmt.Fprintf(d.stdout, "Node      %s (%s, simulated)\n", node.url, node.chain)
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
	fmt.Fprintf(d.stdout, "Prover    %s (simulated)\n", url)
	return api, nil
}

// simulated returns the chains that are simulated, because they have no node.
func (u upCommand) simulated() (chains []domain.Chain) {
	for _, chain := range u.Chains {
		if u.Simulate && len(u.urls()[chain]) == 0 {
			chains = append(chains, chain)
		}
	}
	return chains
}

// simulate starts a simulated node for each served chain without a node,
// concurrently: generating the first blocks takes a second or two.
func (u upCommand) simulate(ctx context.Context, d *deployment) ([]simulatedNode, error) {
	chains := u.simulated()
	simulated := make([]simulatedNode, len(chains))
	var group errgroup.Group
	for i, chain := range chains {
		group.Go(func() (err error) {
			simulated[i], err = d.simulate(ctx, u.Data, chain)
			return err
		})
	}
	return simulated, group.Wait()
}
