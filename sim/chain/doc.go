// Package chain builds and keeps a simulated chain: blocks that follow from a seed and a
// script, the retained ones with their state, the pool of transactions that clients sent,
// and reorganisations. A recording keeps a whole chain in a file, from which it can be
// replayed or go on.
//
// Block and transaction hashes follow Starknet's formulas, and state roots are the hash
// of a contracts root and a classes root. Simplified are the values below them: the four
// commitments are plain hashes over the same content instead of Merkle–Patricia roots,
// and each of the two roots is a hash chain over the blocks' state differences.
// What happens in a block is decided by a Script, which lives elsewhere.
package chain
