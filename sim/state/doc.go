// Package state stores the state of a simulated chain: storage, nonces, classes
// of contracts and declared classes, each as a cell with its history over the
// retained blocks, so that any retained block can be read and the newest ones
// can be undone.
//
// It is independent of transactions, contracts and JSON-RPC. It is not safe for
// concurrent use while a block is committed; its owner holds a lock.
package state
