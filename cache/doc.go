// Package cache holds what this program adds to the LRU of
// github.com/hashicorp/golang-lru: Weighted bounds the total weight of its
// values, and Loading reads the values that it lacks, once for all callers.
// For a bound by number of entries, use the library directly with Must.
//
// Nothing here runs in the background or reads a clock that it was not given,
// so that tests decide what is remembered. The package knows no subject of the
// domain: what may be remembered, and for how long, is decided by its users.
package cache
