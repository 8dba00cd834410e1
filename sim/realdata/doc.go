// Package realdata serves recorded answers of real Starknet nodes as a JSON-RPC 0.10 node
// over HTTP, so that tests can read real blocks the way they would be read from the chain.
// Only tests import it.
//
// The data is a folder with blocks, state updates and classes of each chain, whose blocks
// are linked in short runs only. A node serves one run as if it were the newest part of the
// chain. Where the folder has no state update for a block, the node answers with an empty
// one, which is a placeholder and not a fact of the chain; and a contract has a class only
// if a state update of the run gave it one.
package realdata
