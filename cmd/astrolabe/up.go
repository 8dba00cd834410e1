package main

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"

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
	Simulate  bool   `help:"Simulate the chains that have no node, so that there is something to see." default:"true" negatable:""`
	AdminAddr string `help:"Address of metrics, profiles and health for operators. Keep it private. Empty: none." default:"127.0.0.1:8081"`
}

// Validate checks the settings before anything is started.
func (u upCommand) Validate() error {
	return firstError(u.databaseSettings.check(), u.listenSettings.check(), u.workSettings.check(),
		u.indexSettings.check(), checkAdmin(u.AdminAddr))
}

// Run starts all parts, tells where to look and runs until a stop signal.
func (u upCommand) Run(ctx context.Context, c *console) error {
	d, err := openDeployment(ctx, c, u.databaseSettings, u.secretSettings)
	if err != nil {
		return err
	}
	return d.run(ctx, u.AdminAddr, func(operators *admin) ([]part, error) { return u.start(ctx, d, operators) })
}

func (u upCommand) start(ctx context.Context, d *deployment, operators *admin) ([]part, error) {
	simulated, err := u.simulate(ctx, d)
	if err != nil {
		return nil, err
	}
	nodes := u.nodeSettings
	var parts []part
	for _, node := range simulated {
		nodes.add(node.chain, node.url)
		parts = append(parts, node.run, d.revokeSample(node))
	}
	indexers, err := d.indexers(nodes, u.indexSettings)
	if err != nil {
		return nil, err
	}
	work, err := d.worker(u.workSettings, nodes)
	if err != nil {
		return nil, err
	}
	api, err := d.listen(ctx, u.listenSettings, nodes)
	if err != nil {
		return nil, err
	}
	shown, err := d.demo(ctx, u.Data, api, operators, simulated, len(u.Chains))
	if err != nil {
		return nil, err
	}
	if err := shown.write(u.Data); err != nil {
		return nil, err
	}
	for _, node := range simulated {
		fmt.Fprintf(d.stdout, "Node      %s (%s, simulated)\n", node.url, node.chain)
	}
	api.announce(d.console, operators)
	return append(append(parts, indexers...), work, api.run), nil
}

// simulate makes a simulated node for each served chain that has no node, all
// of them at once: the first blocks of a chain take a second or two.
func (u upCommand) simulate(ctx context.Context, d *deployment) ([]simulatedNode, error) {
	var chains []domain.Chain
	for _, chain := range u.Chains {
		if u.Simulate && len(u.urls()[chain]) == 0 {
			chains = append(chains, chain)
		}
	}
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
