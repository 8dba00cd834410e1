// Package signing loads the private key that signs receipts. Only the controller
// has it; all other parts know the key by its id and its public half, which the
// trust root lists.
//
// The key is an Ed25519 key in PKCS#8 PEM, as "openssl genpkey -algorithm ed25519"
// writes it, and comes from a file that only its owner can read, or from the
// environment. No error and no text of this package shows it.
package signing
