package main

import (
	"context"
	"fmt"
	"strings"

	"astrolabe/cmd/astrolabe/simnode"
	"astrolabe/domain"
	"astrolabe/domain/indexing"
	"astrolabe/repo/index"
)

// A deployment has either chains that this program simulates or chains of nodes.
// The checks of this file refuse the other kind before anything is written.

// mustHoldNoSimulated refuses to follow or to ask nodes if an index was simulated:
// answers would mix facts of two chains.
func (d *deployment) mustHoldNoSimulated(ctx context.Context, nodes nodeSettings) error {
	if len(nodes.NodeMain)+len(nodes.NodeSepolia) == 0 {
		return nil
	}
	held, err := d.holding(ctx, func(_ domain.Chain, at *indexing.Checkpoint) bool { return at.Simulated != nil && *at.Simulated })
	if err != nil || len(held) == 0 {
		return err
	}
	return usageError{fmt.Errorf("the database holds a simulated %s, which astrolabe up made without a node; a deployment has either simulated or real chains: "+
		"use another --data folder or database. To remove what was simulated, run: %s", chainList(held), d.removal(held))}
}

// mustHoldNoReal refuses to simulate chains if an index was made from a node, or
// from a simulated chain that is not in the data folder.
func (d *deployment) mustHoldNoReal(ctx context.Context, data string) error {
	held, err := d.holding(ctx, func(c domain.Chain, at *indexing.Checkpoint) bool {
		return at.Simulated != nil && !*at.Simulated || at.Block != nil && !simnode.Stored(data, c)
	})
	if err != nil || len(held) == 0 {
		return err
	}
	return d.refuseSimulation(held)
}

// sameSimulation refuses a simulated chain if the database holds the index of
// another chain with its name.
func (d *deployment) sameSimulation(ctx context.Context, node simnode.Node) error {
	checkpoints := index.NewCheckpoints(d.db.DB)
	at, err := checkpoints.Checkpoint(ctx, node.Chain)
	if err != nil || at == nil || at.Block == nil {
		return err
	}
	stored, held, err := checkpoints.BlockHash(ctx, node.Chain, at.First)
	if err != nil || !held {
		return err
	}
	hash, found, err := node.BlockHash(at.First)
	if err != nil || found && hash == stored {
		return err
	}
	return d.refuseSimulation([]domain.Chain{node.Chain})
}

// refuseSimulation returns the error of a simulation beside other chains.
func (d *deployment) refuseSimulation(held []domain.Chain) error {
	return usageError{fmt.Errorf("the database holds %s from a real node, or from a simulation of another data folder; a deployment has either simulated or real chains: "+
		"set --node-main or --node-sepolia to a node of the chain, pass --no-simulate to serve what is indexed, or use another --data folder or database. "+
		"To remove what is indexed, run: %s", chainList(held), d.removal(held))}
}

// holding lists the chains whose checkpoint is of a kind.
func (d *deployment) holding(ctx context.Context, kind func(domain.Chain, *indexing.Checkpoint) bool) (held []domain.Chain, err error) {
	for _, c := range domain.Chains {
		at, err := index.NewCheckpoints(d.db.DB).Checkpoint(ctx, c)
		if err != nil {
			return nil, err
		}
		if at != nil && kind(c, at) {
			held = append(held, c)
		}
	}
	return held, nil
}

// removal returns the commands that remove the indexes of chains, as one line for a
// shell.
func (d *deployment) removal(chains []domain.Chain) string {
	commands := make([]string, len(chains))
	for i, c := range chains {
		commands[i] = (&advice{flags: d.flags}).command(c, indexing.Advice(c).Rollback(0, 0))
	}
	return strings.Join(commands, " && ")
}

func chainList(chains []domain.Chain) string {
	names := make([]string, len(chains))
	for i, c := range chains {
		names[i] = string(c)
	}
	return strings.Join(names, " and ")
}
