package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime/debug"
	"time"

	"astrolabe/domain"
	"astrolabe/jobs/index"
	"astrolabe/node"
	store "astrolabe/repo/index"
)

// indexCommand follows the chains' nodes.
type indexCommand struct {
	databaseSettings
	secretSettings
	nodeSettings
	indexSettings
	AdminAddr string `help:"Address of metrics, profiles and health for operators. Keep it private. Empty: none." default:"127.0.0.1:8083"`
}

// nodeSettings name the Starknet nodes.
type nodeSettings struct {
	NodeMain    []secretText `help:"JSON-RPC URLs of SN_MAIN nodes, separated by commas. They are never printed; one that holds a key belongs into the environment." placeholder:"URL"`
	NodeSepolia []secretText `help:"JSON-RPC URLs of SN_SEPOLIA nodes." placeholder:"URL"`
}

type indexSettings struct {
	Poll                 time.Duration `help:"How often a node is asked for its newest block when it sends no news." default:"2s"`
	Lease                time.Duration `help:"How long a leading index process may be silent before another takes over." default:"15s"`
	FromBlock            uint64        `help:"The block that a new index begins with. Facts that need earlier blocks are then unknown. An index that has begun stays as it is." default:"0"`
	FinalityDepth        uint64        `help:"How many blocks above a block make it final here. Final blocks are never undone." default:"20"`
	Fetchers             int           `help:"How many blocks are read from a node at once." default:"8"`
	RangeEvents          uint64        `help:"How many events make a range of blocks full. Ranges are what is loaded, indexed and dropped as one; they grow with the chain." default:"2000000"`
	BulkBlocks           uint64        `help:"How many final blocks must be missing before history is loaded in bulk, its indexes built afterwards." default:"256"`
	AcceptMissingClasses bool          `help:"Go on without a class that the node does not have, instead of halting. Token transfers of its contracts may then be unknown."`
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
	}
	return nil
}

// Validate checks the settings before anything is started.
func (i indexCommand) Validate() error {
	if len(i.NodeMain)+len(i.NodeSepolia) == 0 {
		return errors.New("a node is needed: set --node-main or --node-sepolia")
	}
	return firstError(i.databaseSettings.check(), i.indexSettings.check(), checkAdmin(i.AdminAddr))
}

// Run follows every chain that has a node until a stop signal.
func (i indexCommand) Run(ctx context.Context, c *console) error {
	d, err := openDeployment(ctx, c, i.databaseSettings, i.secretSettings)
	if err != nil {
		return err
	}
	return d.run(ctx, i.AdminAddr, func(*admin) ([]part, error) {
		return d.indexers(i.nodeSettings, i.indexSettings)
	})
}

func (s nodeSettings) urls() map[domain.Chain][]secretText {
	return map[domain.Chain][]secretText{domain.Mainnet: s.NodeMain, domain.Sepolia: s.NodeSepolia}
}

// add names one more node of a chain.
func (s *nodeSettings) add(chain domain.Chain, url string) {
	if chain == domain.Mainnet {
		s.NodeMain = append(s.NodeMain, secretText(url))
	} else {
		s.NodeSepolia = append(s.NodeSepolia, secretText(url))
	}
}

// openNode makes the pool of a chain's nodes.
func (c *console) openNode(chain domain.Chain, urls []secretText) (*node.Pool, error) {
	addresses := make([]string, len(urls))
	for i, u := range urls {
		addresses[i] = string(u)
	}
	pool, err := node.Open(node.Options{Chain: chain, URLs: addresses, Logger: c.logger})
	if err != nil {
		return nil, usageError{err}
	}
	return pool, nil
}

// indexMemory is from where on an index process collects its garbage eagerly:
// batches are short-lived and many times what lives. GOMEMLIMIT overrides it.
const indexMemory = 300 << 20

// indexers returns a part for each chain that has a node.
func (d *deployment) indexers(nodes nodeSettings, s indexSettings) ([]part, error) {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(indexMemory)
	}
	var parts []part
	for _, chain := range domain.Chains {
		if len(nodes.urls()[chain]) == 0 {
			continue
		}
		p, err := d.indexer(chain, nodes.urls()[chain], s)
		if err != nil {
			return nil, err
		}
		parts = append(parts, p)
	}
	return parts, nil
}

func (d *deployment) indexer(chain domain.Chain, urls []secretText, s indexSettings) (part, error) {
	pool, err := d.openNode(chain, urls)
	if err != nil {
		return nil, err
	}
	loop := &index.Loop{
		Chain: chain, Node: pool.Source(), Holder: holder(),
		Leases: store.NewLeases(d.db.DB), Checkpoints: store.NewCheckpoints(d.db.DB), Classes: store.NewArchive(d.db.DB), Writer: store.NewWriter(d.db.DB),
		Every: s.Poll, Lease: s.Lease, First: s.FromBlock, Depth: s.FinalityDepth,
		AcceptMissingClasses: s.AcceptMissingClasses, Sizes: index.Sizes{Fetchers: s.Fetchers, RangeEvents: s.RangeEvents, Bulk: s.BulkBlocks},
		Logger: d.logger, Metrics: d.metrics,
	}
	if d.screen != nil {
		loop.Report = d.screen.report
	}
	return func(ctx context.Context) error {
		defer pool.Close()
		return loop.Run(ctx)
	}, nil
}

// holder names this process among those that may lead an index.
func holder() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return fmt.Sprintf("%s/%d/%d", host, os.Getpid(), time.Now().UnixNano())
}
