// Package address reads addresses: activity, tokens they may hold, type and
// labels.
//
// All data is indexed, except for the balances of Wallets, which are read from
// the token contracts at one block. Reads take many addresses and return
// results in the same order. Labels come from the operator, the built-in
// registry (registry/*.json) or the class of the contract, and carry their
// source.
//
// How rows are stored and how answers look on the wire are none of this
// package's business.
package address
