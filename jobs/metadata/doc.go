// Package metadata holds the worker that asks tokens for their name, symbol
// and decimals: new ones within seconds, known ones once a day.
//
// A run claims the tokens whose time has come, asks the node about each on the
// state after the newest block that readers can see, and stores what the
// contracts said. A token that could not be asked is claimed again by a later
// run, after those that wait longer, so that neither an outage nor a contract
// that makes nodes fail leaves a trace or keeps the others waiting.
//
// The worker never makes a token: which contracts are tokens is the index's to
// say. How an answer is read is decided in domain/token.
package metadata
