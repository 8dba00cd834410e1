// Package oracle is a second, simple implementation of every read. It takes
// blocks as a node returns them and computes the expected response of the
// service in memory: all rows, filtered, sorted and sliced, without state
// between requests.
//
// It is written from the contract and shares no code with domain, repo or rest.
// They have only the chain types, the ABI decoder, the simulator and the
// registries that ship with the service in common; it reads the latter as
// documents. It is for tests: where it and the service differ, one of them is
// wrong. It must stay short enough to be obviously correct, so speed does not
// matter, and cursors, caches and indexes do not belong here.
package oracle
