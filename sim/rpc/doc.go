// Package rpc serves a simulated chain by Starknet's JSON-RPC 0.10 over HTTP and
// WebSocket: every read, write and trace method, subscriptions, batches and the
// specification's error codes, with the faults that it was asked for.
//
// Plain but valid: storage proofs have no trie nodes, compiled classes have no bytecode,
// and a message's status is known by a simulated L1 transaction hash (see L1Transaction).
// Answers to what an indexer asks most can be rendered to files and copied from there.
// It decides nothing about the chain's content.
package rpc
