// Package summaries holds the workers that maintain token summaries: the sums
// of finalized transfers, and the supplies.
//
// Both continue where they stopped. A step of the sums is one transaction that
// also moves their checkpoint, so a crash undoes the whole step. Supplies are
// read from the node at one finalized block; a later run retries tokens that
// could not be read.
//
// The domain package token combines them with the newer transfers.
package summaries
