// Package markets keeps the pools that known factories created.
//
// A run reads each factory's events on from where the last one stopped, in
// finalized blocks only, and stores their pools by token, so that a token's
// pools are found without going through everything that a factory ever did.
// What came after is read when it is asked for, so a list never waits for this
// job; without it, it only reads more.
package markets
