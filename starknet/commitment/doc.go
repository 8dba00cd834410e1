// Package commitment computes what a block's hash commits to: the roots of the
// trees of its transactions, events and receipts, the hash of its state diff,
// and the block's hash itself, by the formula of the block's Starknet version.
//
// A header cannot be trusted, so nothing here uses the commitments that it
// states: they are computed from the content. What a formula leaves out
// cannot be checked against the block's hash.
//
// The package is pure. What exceptions the chains have is data in
// exceptions.go.
package commitment
