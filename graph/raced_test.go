//go:build race

package graph

// raced says whether the race detector slows the tests down.
const raced = true
