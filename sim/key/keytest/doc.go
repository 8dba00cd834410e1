// Package keytest signs with the keys of simulated accounts, as the wallet of a
// test's client would. The simulator itself only verifies.
package keytest
