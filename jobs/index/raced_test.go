//go:build race

package index

// raced reports whether the race detector is on.
const raced = true
