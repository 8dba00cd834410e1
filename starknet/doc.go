// Package starknet holds the chain's own vocabulary: the field element Felt, the
// hashes (Poseidon, Pedersen, Starknet Keccak), selectors, and the objects a node
// speaks of — blocks, transactions, receipts, state updates, classes — with the
// formulas for their hashes and addresses.
//
// It is a leaf. It knows nothing of databases, HTTP or this service's own API, does
// no input or output, and keeps no state beyond constants computed at start. The ABI
// decoder lives beside it in starknet/abi.
package starknet
