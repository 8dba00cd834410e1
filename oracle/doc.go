// Package oracle is a second, plain answer to every read of the chain. It takes
// blocks as a node tells them and computes what the service must say of them,
// in memory: all rows, filtered, sorted and sliced, with nothing kept between
// two requests.
//
// It is written from the contract and shares no code with domain, repo or rest;
// only the chain's own vocabulary, the ABI decoder and the simulator are common,
// and the registries that ship with the service, which it reads as documents.
// It is for tests: where it and the service differ, one of them is wrong. It
// must stay so short that a reader sees that it is right, so speed does not
// matter here and cursors, caches and indexes have no place.
package oracle
