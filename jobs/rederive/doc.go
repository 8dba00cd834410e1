// Package rederive makes derived facts again from stored ones, without the
// node: after a deriver has changed, or when rows were lost.
//
// It leads the chain's index while it works, goes from the oldest block to the
// newest, and writes only runs of blocks whose rows differ, each in one
// transaction. Whatever interrupts it, it can be started again.
package rederive
