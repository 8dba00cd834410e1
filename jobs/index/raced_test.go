//go:build race

package index

import "astrolabe/domain/facts"

// raced reports whether the race detector is on.
const raced = true

// harnessLevel is how far the tests' indexers verify blocks. Hashing takes minutes
// with the race detector.
const harnessLevel = facts.Unverified
