package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"math"
	"time"

	"astrolabe/cmd/astrolabe/process"
	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/jobs/index"
	"astrolabe/jobs/repair"
	store "astrolabe/repo/index"
	"astrolabe/telemetry"
)

// indexCommand indexes blocks from Starknet nodes.
type indexCommand struct {
	databaseSettings `group:"Database"`
	secretSettings   `group:"Database"`
	nodeSettings     `group:"Nodes"`
	indexSettings    `group:"Indexer"`
	AdminAddr        string `help:"Listen address for metrics, profiles and health checks. Keep it private. Leave it empty to disable." default:"127.0.0.1:8083"`
}

type indexSettings struct {
	served bool // the process also serves the API, whose readiness is not that of the index
	poolSettings
	Poll                 time.Duration `help:"How often to poll a node for its newest block. Nodes with WebSocket subscriptions announce blocks sooner." default:"2s"`
	Lease                time.Duration `help:"Lease of the leading indexer. If the leader does not renew it in time, another process takes over." default:"15s"`
	FromBlock            uint64        `help:"First block of a new index. Facts that need earlier blocks are reported as unknown. Has no effect on an existing index." default:"0"`
	FinalityDepth        uint64        `help:"Number of blocks that must follow a block before it is finalized. The indexer never undoes finalized blocks." default:"20"`
	Fetchers             int           `help:"Number of blocks to fetch from a node concurrently." default:"8"`
	RangeEvents          uint64        `help:"Number of events that fill a partition. Partitions are loaded, indexed and dropped as a whole; later ones are larger, as the chain grows." default:"2000000"`
	BulkBlocks           uint64        `help:"Minimum number of missing finalized blocks for a backfill, which loads partitions in bulk and builds their indexes afterwards." default:"256"`
	Verify               string        `help:"How far to verify blocks before storing them. full recomputes transaction hashes, commitments and block hashes from the node's answers, and does not use Cairo 0 classes whose hash does not match; transactions recomputes only transaction hashes; off stores what the node sends." default:"full" enum:"full,transactions,off"`
	NodeQuorum           int           `help:"Number of nodes of a chain that must agree on the hash of a block before it is stored." default:"1"`
	AcceptMissingClasses bool          `help:"Continue without classes that no node has, instead of halting. Transfers of their contracts may stay untyped until a node has them."`
}

func (s indexSettings) check() error {
	switch {
	case s.Poll <= 0 || s.Lease < 2*s.Poll:
		return errors.New("--poll must be positive and --lease at least twice as long")
	case s.FromBlock > math.MaxInt32:
		return fmt.Errorf("--from-block must be at most %d", math.MaxInt32)
	case s.FinalityDepth < 1 || s.FinalityDepth > 100_000:
		return errors.New("--finality-depth must be from 1 to 100000")
	case s.RangeEvents < 1 || s.BulkBlocks < 1:
		return errors.New("--range-events and --bulk-blocks must be at least 1")
	case s.Fetchers < 1 || s.Fetchers > 64:
		return errors.New("--fetchers must be from 1 to 64")
	case s.NodeQuorum < 1:
		return errors.New("--node-quorum must be at least 1")
	}
	return nil
}

// verification returns the level that --verify names.
func (s indexSettings) verification() facts.Verification {
	if s.Verify == "off" {
		return facts.Unverified
	}
	return facts.Verification(s.Verify)
}

// Validate checks the settings before anything starts.
func (i indexCommand) Validate() error {
	if len(i.NodeMain)+len(i.NodeSepolia) == 0 {
		return errors.New("set --node-main or --node-sepolia")
	}
	return firstError(i.databaseSettings.check(), i.secretSettings.check(i.Data), i.checkNodes(), i.indexSettings.check(), i.quorum(i.NodeQuorum), checkAdmin(i.AdminAddr))
}

// Run indexes every chain that has a node, until a stop signal.
func (i indexCommand) Run(ctx context.Context, c *console) error {
	if err := free(ctx, map[string]string{"--admin-addr": i.AdminAddr}); err != nil {
		return err
	}
	d, err := openDeployment(ctx, c, i.databaseSettings, i.secretSettings, mustExist)
	if err != nil {
		return err
	}
	return d.run(ctx, i.AdminAddr, func(*admin) ([]component, error) {
		if err := d.mustHoldNoSimulated(ctx, i.nodeSettings); err != nil {
			return nil, err
		}
		return d.indexers(i.nodeSettings, i.indexSettings, false)
	})
}

// indexMemory is the memory of an indexer: its short-lived batches are many times
// larger than its live heap.
const indexMemory = 300 << 20

// indexers returns an indexer for each chain that has a node.
func (d *deployment) indexers(nodes nodeSettings, s indexSettings, simulated bool) ([]component, error) {
	d.addMemory(indexMemory)
	var components []component
	for _, chain := range domain.Chains {
		if len(nodes.urls()[chain]) == 0 {
			continue
		}
		p, err := d.indexer(chain, nodes, s, simulated)
		if err != nil {
			return nil, err
		}
		components = append(components, p)
	}
	return components, nil
}

func (d *deployment) indexer(chain domain.Chain, nodes nodeSettings, s indexSettings, simulated bool) (component, error) {
	pool, err := d.openNode(chain, nodes, jobUse)
	if err != nil {
		return nil, err
	}
	writer, source := store.NewWriter(d.db.DB), pool.Source().WithQuorum(s.NodeQuorum)
	loop := &index.Loop{
		Chain: chain, Pools: s.orKnown(chain), Node: source, Holder: holder(), Gone: process.Gone, Describe: process.Describe,
		Leases: store.NewLeases(d.db.DB), Checkpoints: store.NewCheckpoints(d.db.DB), Classes: store.NewArchive(d.db.DB), Writer: writer, Backfills: store.NewBackfills(d.db.DB),
		Every: s.Poll, Lease: s.Lease, First: s.FromBlock, Simulated: simulated, Depth: s.FinalityDepth,
		Verify: s.verification(), AcceptMissingClasses: s.AcceptMissingClasses, Sizes: index.Sizes{Fetchers: s.Fetchers, RangeEvents: s.RangeEvents, Bulk: s.BulkBlocks},
		Prover: &repair.Job{
			Chain: chain, Checkpoints: store.NewCheckpoints(d.db.DB), Archive: store.NewArchive(d.db.DB), Store: writer.Repairer(),
			Node: source, Verify: s.verification(),
			Report: func(line string) { d.logger.Info("completing the index: "+line, "chain", chain) },
		},
		Logger: telemetry.Sparse(d.logger, telemetry.Kind), Metrics: d.metrics,
	}
	if !s.served {
		d.health.Check("index "+string(chain), func(context.Context) error {
			if reason := loop.Halted(); reason != "" {
				return telemetry.Reason(reason)
			}
			return nil
		})
	}
	if d.screen != nil {
		loop.Report = d.screen.Report
	}
	return func(ctx context.Context) error {
		defer pool.Close()
		return loop.Run(ctx)
	}, nil
}

// holder identifies this process as the holder of a lease.
func holder() string { return process.Own(rand.Text()).String() }
