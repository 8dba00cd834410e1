// Package chains handles the REST routes of a chain: status, blocks,
// transactions, events, messages and search.
//
// A file holds a noun: its wire types, its handlers and its operations, which
// rest/table.go collects. Wire types that the facade's tests read are exported.
package chains
