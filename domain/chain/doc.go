// Package chain reads a chain: its head and indexing status, blocks,
// transactions, messages, classes and contracts, and contract state from
// upstream nodes.
//
// Package indexing writes the index, and package account decides on
// permissions.
package chain
