// Package rpc serves a simulated chain over Starknet JSON-RPC 0.10 by HTTP and
// WebSocket: every read, write and trace method, subscriptions, batches and the
// error codes of the specification, with injected faults.
//
// Simplified but valid: storage proofs have no trie nodes, compiled classes
// have no bytecode, and the status of a message is found by a simulated L1
// transaction hash (see L1Transaction). Frequent responses of an indexer can be
// rendered to files and served from there. It does not decide the content of
// the chain.
package rpc
