// Package key holds the keys of simulated accounts: public keys and the check of
// signatures on the Stark curve. Tests that sign as a wallet would use keytest.
package key
