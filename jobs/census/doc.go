// Package census holds the worker that makes the holder censuses of tokens.
//
// A run claims the tokens whose time has come and looks at each as of the
// newest finalized block that readers can see. It judges whether a census can
// be made of the token, asks the node for the supply at that block, lets the
// store count and audit the holders, and publishes the outcome. A token that
// failed for a reason of this side, such as a node that does not answer, keeps
// what it had and is tried again soon.
//
// What qualifies a token and what certifies a census is decided in
// domain/token; how holders are counted is the store's business.
package census
