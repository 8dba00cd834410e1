// Package onchain reads the visible part of the chain: blocks, transactions,
// messages between the layers, contracts and classes, and also chain heads,
// reorgs and verification records.
//
// There is one repository per noun. All read through the connections for
// requests, with one statement per question for any number of parents; only
// Heads needs a connection that may write. Nothing here writes; package index
// does. Events, transfers and tokens have their own packages.
package onchain
