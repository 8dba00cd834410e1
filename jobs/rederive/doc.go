// Package rederive derives facts again from stored blocks, without the node:
// after a deriver has changed, or when rows were lost.
//
// It holds the lease of the chain, goes from the oldest block to the newest,
// and writes only runs of blocks whose rows differ, each in one transaction. It
// can be restarted after an interruption.
package rederive
