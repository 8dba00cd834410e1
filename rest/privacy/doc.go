// Package privacy has the routes of privacy pools: the public facts of their
// events, and prepared counts and amounts.
//
// Every body begins with an Envelope. No body has a field for what the events do
// not state: who owns a note, which deposit a withdrawal belongs to, or how large
// an anonymity set is.
package privacy
