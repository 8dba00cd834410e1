// Package realdata serves recorded responses of real Starknet nodes as a
// JSON-RPC 0.10 node over HTTP, so that tests can read real blocks. Only tests
// import it.
//
// The data is a folder with blocks, state updates and classes of each chain.
// Only short runs of blocks are linked. A node serves one run as the newest
// blocks of the chain. If the folder has no state update for a block, the node
// returns an empty placeholder. A contract has a class only if a state update
// of the run assigns one.
package realdata
