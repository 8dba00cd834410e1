// Package fsck looks for faults in the read model: by comparing it with
// itself, and with what a node says.
//
// The comparisons that are sums over tables run inside the database (the store
// lists them); here the derivers run again over what is stored, classes are
// read again from their ABIs, and blocks are fetched again from the node. Every
// finding comes with a way to repair it. Nothing here writes.
package fsck
