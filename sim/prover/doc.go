// Package prover is a simulated Starknet transaction prover: JSON-RPC over HTTP
// with the methods starknet_specVersion and starknet_proveTransaction, and GET
// /health. Its proofs prove nothing, but its results have the shape of real ones.
//
// A test queues with Script what the next requests get. Without a queued reply a
// rule decides: malformed and unsupported transactions get the error codes of the
// specification, and the first felt of paymaster_data, which is otherwise always
// empty, names one of the Replies as a short string (0x62757379 is "busy").
// Everything else is proven.
//
// It counts what it received, by the digest of the transaction, and logs nothing:
// calldata contains private keys.
package prover
