//go:build !race

package index

import "astrolabe/domain/facts"

// raced reports whether the race detector is on.
const raced = false

// harnessLevel is how far the tests' indexers verify blocks.
const harnessLevel = facts.FullyVerified
