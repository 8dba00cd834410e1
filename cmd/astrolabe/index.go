package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"astrolabe/domain"
	"astrolabe/jobs/index"
	"astrolabe/node"
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
	Poll  time.Duration `help:"How often a node is asked for its newest block." default:"2s"`
	Lease time.Duration `help:"How long a leading index process may be silent before another takes over." default:"15s"`
}

func (s indexSettings) check() error {
	if s.Poll <= 0 || s.Lease < 2*s.Poll {
		return errors.New("--poll must be positive and --lease at least twice as long")
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

// indexers returns a part for each chain that has a node.
func (d *deployment) indexers(nodes nodeSettings, s indexSettings) ([]part, error) {
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
	addresses := make([]string, len(urls))
	for i, u := range urls {
		addresses[i] = string(u)
	}
	pool, err := node.Open(node.Options{Chain: chain, URLs: addresses, Logger: d.logger})
	if err != nil {
		return nil, usageError{err}
	}
	loop := &index.Loop{
		Chain: chain, Node: pool, Store: d.db, Holder: holder(),
		Every: s.Poll, Lease: s.Lease, Logger: d.logger, Metrics: d.metrics,
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
