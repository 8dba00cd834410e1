package sim

import (
	"sync"
	"testing"

	"astrolabe/sim/contract"
	"astrolabe/starknet"
)

// testDocuments returns the compiled classes.
func testDocuments(t testing.TB) []contract.Document {
	t.Helper()
	documents, err := compiledClasses()
	if err != nil {
		t.Fatal(err)
	}
	return documents
}

// testNode builds a node.
func testNode(t testing.TB, config Config) *Node {
	t.Helper()
	n, err := newNode(config, testDocuments(t))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// longChain is one chain for all tests that only read.
var longChain = sync.OnceValues(func() (*Node, error) { return New(Config{Blocks: longBlocks}) })

// longBlocks is its length. Every shape is within it.
const longBlocks = 130

// readOnly returns the chain that tests share; they must not change it.
func readOnly(t testing.TB) *Node {
	t.Helper()
	n, err := longChain()
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// mustNonce returns the forwarder's nonce.
func mustNonce(t testing.TB, n *Node) starknet.Felt {
	t.Helper()
	nonce, err := n.Nonce(n.Head().Header.BlockNumber, n.network.Forwarder)
	if err != nil {
		t.Fatal(err)
	}
	return nonce
}
