// Package starknet has the types of the chain: the field element Felt, the
// hashes (Poseidon, Pedersen, Starknet Keccak), selectors, and the objects of a
// node's API (blocks, transactions, receipts, state updates, classes) with the
// formulas for their hashes and addresses.
//
// It imports no other package of this project, does no input or output, and has
// no state beyond constants computed at startup. The ABI decoder is in
// starknet/abi, the hashes of blocks are in starknet/commitment.
package starknet
