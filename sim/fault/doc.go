// Package fault holds the faults that a simulated node should inject: which
// kind, for which methods, how often. It decides only whether a fault applies;
// the server implements its effect.
package fault
