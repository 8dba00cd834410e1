// Package chain generates and stores a simulated chain: blocks that follow from
// a seed and a script, the retained ones with their state, the pool of pending
// transactions, and reorgs. A recording stores a whole chain in a file, from
// which it can be replayed or resumed.
//
// Block and transaction hashes and the four commitments follow the formulas of
// Starknet, and state roots are the hash of a contracts root and a classes root.
// Simplified: each of the two roots is a hash chain over the state diffs of the
// blocks. A Script, which is implemented elsewhere, decides what happens in a
// block.
package chain
