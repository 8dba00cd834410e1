// Package census holds the worker that builds the holder censuses of tokens.
//
// A run claims the tokens that are due, and processes each at the newest
// finalized block that readers can see. It decides whether the token qualifies,
// reads the supply at that block from the node, lets the store count and audit
// the holders, and publishes the result. If this fails for a temporary reason,
// such as a node that does not respond, the token keeps its last census and is
// retried soon.
//
// The domain package token decides what qualifies a token and what certifies a
// census. The store counts the holders.
package census
