// Package sim is a deterministic Starknet node: a chain generated from a seed,
// served over JSON-RPC 0.10 by HTTP and WebSocket, with faults on demand. It is
// for the demo, for tests and for benchmarks; clients use it like a real node.
//
// The same seed generates the same blocks, whenever they are mined. With
// Config.State a chain outlives its process, even after a crash. With
// Config.Record and Replay it can be generated once and served often, and with
// Config.Rendered faster than a client can read.
//
// Real: transaction hashes, class hashes, contract addresses, message hashes,
// commitments and block hashes, by the formulas of astrolabe/starknet;
// the classes and their ABIs; storage addresses of variables and maps; state,
// receipts, events, messages and state diffs, which result from executing the
// transactions; the check of signatures by accounts (sim/key).
//
// Simplified: contracts are Go functions instead of Cairo code (sim/contract);
// gas is a simple formula (sim/vm); the signatures of transactions that no
// client sent are random (sim/economy); the programs of Cairo 0 classes are
// placeholders (sim/classes); the two state
// roots are hash chains, not tries (sim/chain), so storage proofs contain only
// leaves and roots; compiled classes have no bytecode and placeholder hashes;
// L1 is simulated (sim/rpc); block 0 places contracts at well-known addresses
// (sim/economy).
package sim
