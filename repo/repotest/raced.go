//go:build race

package repotest

// Raced reports whether the race detector is on.
const Raced = true
