// Package summaries holds the workers that keep what a token's summary is made
// of: the sums of its finalized transfers, and its supply.
//
// Both begin where they stopped. A step of the sums is one transaction that
// moves their checkpoint, too, so a worker that dies in it has done nothing.
// Supplies are read from the node at one finalized block; a token that could
// not be asked is asked again by a later run.
//
// What a summary says follows from these and from the transfers above them;
// that is decided in domain/token.
package summaries
