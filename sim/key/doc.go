// Package key holds the keys of simulated accounts: signatures on the Stark
// curve, which are deterministic.
package key
