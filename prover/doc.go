// Package prover is the client of a Starknet transaction prover over JSON-RPC. It
// implements prove.Upstream.
//
// A request is sent at most once: it has its own connection, its body can be read
// once only, redirects are not followed, and nothing is retried. What the answer
// or its absence means for the job is decided in domain/prove. Nothing of a
// request or answer is logged or part of an error.
package prover
