// Package chain holds what the service knows of a chain itself: where its
// node's head is and how the index stands to it.
//
// Blocks, transactions, events, messages, classes and contracts belong here
// too. Who may read them is not decided here (see account).
package chain
