// Package chains handles the REST routes of what a chain consists of: its
// status, blocks, transactions, events and messages, and the search over them.
//
// A file holds a noun: its wire types, its handlers and its operations, which
// rest/table.go collects. Wire types that the facade's tests read are exported.
package chains
