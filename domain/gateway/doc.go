// Package gateway decides which JSON-RPC requests reach a Starknet node, at
// what price and within which limits, and which errors their senders see.
//
// Parse splits a body into requests. A Gateway answers them: it checks each
// against the table of methods, the permissions and the rate limit of its
// caller, and forwards method and params byte for byte. Errors of the node pass
// unchanged; every other error is an *Error with the codes of the contract.
//
// A Session is a client that can receive notifications. Identical subscriptions
// of all sessions share a topic, which is one subscription at a node; its tracker
// knows what was delivered, so that it continues at another upstream.
//
// The package does not know HTTP, WebSocket or the node's transport: package
// rest/rpc and package node do.
package gateway
