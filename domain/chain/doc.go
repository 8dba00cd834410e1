// Package chain holds what readers ask of a chain itself: where its node's head
// is and how the index stands to it, its blocks, transactions, messages,
// classes and contracts, and the state of contracts as nodes tell it.
//
// How the index is written is in package indexing. Who may read what is not
// decided here (see account).
package chain
