// Package secret keeps the keys that a deployment makes for itself: the
// cursor MAC, the API key pepper, the session MAC, the receipt signing seed and
// the key of the prover relay.
//
// They are created once, sealed under the operator's master key, stored with
// the data and therefore shared by every process. Each purpose has numbered
// generations: what a generation has signed names it, so a rotation adds a
// new one while the old stays honoured. Plain key material never leaves this
// package except through the methods that use it, and never prints.
package secret
