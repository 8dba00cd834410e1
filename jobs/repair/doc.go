// Package repair replaces damaged rows of the index by what the node confirms:
// single blocks, classes, entries of the dictionaries, and where the index
// stands.
//
// It trusts a block of the node only if the index says that it is the one: by
// the stored hash, or, if that was damaged, by the hashes that both neighbours
// claim. It holds the lease of the chain and writes each block, with everything
// that follows from it, in one transaction. Nothing above a damaged block has to
// be indexed again.
package repair
