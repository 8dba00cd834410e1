// Package abi reads the ABI of a Cairo 0 or Cairo 1 class and decodes events, calldata
// and results with it.
//
// An ABI is compiled once into a Schema, which is immutable and safe for concurrent use.
// Decoding is total: no input makes it panic, read past its end, recurse without bound or
// reserve more memory than the felts at hand justify. A payload decodes only if all of it
// was consumed; every value knows the felts it was read from and encodes back to exactly
// those felts.
//
// The package does not guess: a payload that does not fit its ABI, a selector
// that two events share, or an unknown type is a specific error, never a
// partial result.
package abi
