// Package address answers what is known of an address: what it did and what
// happened to it, the tokens that it may hold, what it is and what it is
// called.
//
// Everything is read from the index, but for the balances of Wallets, which the
// tokens' contracts tell at one block. Reads take many addresses at once and answer in their order. What
// an address is called comes from three places, the operator's own labels, the
// registry that ships with the program (registry/*.json) and its class, and the
// answer says which.
//
// How rows are stored and how answers look on the wire are none of this
// package's business.
package address
