// Package metadata holds the worker that reads the name, symbol and decimals of
// tokens: new tokens within seconds, known ones once a day.
//
// A run claims the due tokens, reads each from the node at the newest block
// that readers can see, and stores the results. A token that could not be read
// is claimed again by a later run, after those that wait longer. So neither an
// outage nor a contract that makes nodes fail blocks the other tokens.
//
// The worker never creates a token: the indexer decides which contracts are
// tokens. The domain package token decides how a response is interpreted.
package metadata
