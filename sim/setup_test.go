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

// testNode builds a node with an account for clients.
func testNode(t testing.TB, config Config) *Node {
	t.Helper()
	config.Predeployed = max(config.Predeployed, 1)
	n, err := newNode(config, testDocuments(t))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// longChain is one chain for all tests that only read.
var longChain = sync.OnceValues(func() (*Node, error) { return New(Config{Blocks: longBlocks, Predeployed: 1}) })

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

// sender is the account whose transactions the tests send.
func sender(n *Node) Account { return n.Predeployed()[0] }

// mustNonce returns the sender's nonce.
func mustNonce(t testing.TB, n *Node) starknet.Felt {
	t.Helper()
	nonce, err := n.Nonce(n.Head().Header.BlockNumber, sender(n).Address)
	if err != nil {
		t.Fatal(err)
	}
	return nonce
}
