// Package fsck checks the read model for faults: for internal consistency, and
// against a node.
//
// Comparisons that are sums over tables run inside the database (the store
// lists them). This package runs the derivers again over the stored blocks,
// parses classes again from their ABIs, and fetches blocks again from the node.
// Every finding comes with a repair command. Nothing here writes.
package fsck
