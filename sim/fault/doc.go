// Package fault keeps the misbehaviour that a simulated node was asked for: which kind,
// for which methods, how often. It decides only whether a fault strikes; what that means
// is up to the server.
package fault
