// Package contracts handles the REST routes of contracts: metadata, view calls,
// verification records and bridge signals.
//
// A file holds a noun: its wire types, its handlers and its operations, which
// rest/table.go collects. Wire types that the facade's tests read are exported.
package contracts
