package repotest

import (
	"sync"
	"testing"

	"astrolabe/domain/facts"
	"astrolabe/sim"
	"astrolabe/sim/simtest"
	"astrolabe/starknet"
)

// ProxiedBlocks is the number of the last block of Proxied.
const ProxiedBlocks = 75

// ProxyChain is the facts of a simulated chain that deploys proxies in block 65
// and upgrades them in block 72, and its contracts by name.
type ProxyChain struct {
	Blocks    []facts.Block
	Contracts map[string]starknet.Felt
}

// Proxied returns the chain with proxies. Callers share it and must not change
// it.
func Proxied(t testing.TB) ProxyChain {
	t.Helper()
	c, err := proxied()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

var proxied = sync.OnceValues(func() (c ProxyChain, err error) {
	node, err := simtest.Open(sim.Config{Blocks: ProxiedBlocks})
	if err != nil {
		return c, err
	}
	defer func() { _ = node.Close() }()
	c.Contracts = map[string]starknet.Felt{}
	for _, contract := range node.Directory() {
		c.Contracts[contract.Name] = contract.Address
	}
	c.Blocks, err = Facts(node)
	return c, err
})
