// Package receipt signs and verifies the receipts of exact verification.
//
// A Receipt is portable: its evidence says which source reproduced which
// declared class, and an Ed25519 signature covers the RFC 8785 form of the
// evidence. A TrustRoot lists the public keys, each with its toolchain, its
// environment and the time in which it may sign. Verify needs these two
// documents and nothing else: no network, no database and no clock, so that it
// gives the same answer at any time.
//
// Both documents are parsed strictly, and every refusal is an Error with a
// Reason. The package does not store receipts, load private keys or know jobs.
package receipt
