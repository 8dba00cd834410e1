// Package sim is a deterministic Starknet node: a chain that follows from a seed, served
// by JSON-RPC 0.10 over HTTP and WebSocket, with faults on demand. It is for the demo, for
// tests and for benchmarks; clients use it as they would use a real node.
//
// The same seed makes the same blocks, whenever they are mined. With Config.State a chain
// outlives its process, however that ends; with Config.Record and Replay it can be made
// once and served often, and with Config.Rendered faster than it can be read.
//
// What is real: transaction hashes, class hashes, contract addresses, message hashes and
// the block hash over its header, by the formulas of astrolabe/starknet; the classes and
// their ABIs; storage addresses of variables and maps; and that state, receipts, events,
// messages and state differences follow from executing the transactions.
//
// What is simplified: contracts are Go functions in place of Cairo code (sim/contract);
// signatures are not checked and gas is a plain formula (sim/vm); the header's four
// commitments are plain hashes of their content and the two state roots are hash chains,
// not tries (sim/chain); so storage proofs carry leaves and roots only, compiled classes
// carry no bytecode and their hashes are stand-ins; L1 is imagined (sim/rpc); contracts at
// well-known addresses are placed by block 0 (sim/economy).
package sim
