// Package transparency is the append-only log of verification receipts, on the
// Merkle trees of golang.org/x/mod/sumdb/tlog and the signed notes of
// golang.org/x/mod/sumdb/note.
//
// Leaf i is the receiptDigest of receipt i+1. A checkpoint is a note about the
// size and the root of the log, signed by a key of the trust root. Grow decides
// what the next receipts add to the log, Log answers with checkpoints, tiles and
// proofs, VerifyInclusion and VerifyConsistency check them without a network, and
// Audit recomputes a whole log from its tiles.
//
// Every refusal is a *receipt.Error with a Reason. The package does not store the
// log and does not fetch it.
package transparency
