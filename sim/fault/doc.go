// Package fault holds the faults that a simulated node should inject: which
// kind, for which methods, how often. It decides whether a fault applies, and
// falsifies results for lies; the server implements the other effects.
package fault
