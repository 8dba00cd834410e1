// Package search finds what a text names: a block by its number, anything by
// its hash, an address, a token by its symbol or name, an address by its label.
//
// A search looks into indexes only, never through history, and tells what it
// found by kind and id. The things themselves are read by the services of their
// nouns.
package search
