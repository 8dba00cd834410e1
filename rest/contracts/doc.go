// Package contracts handles the REST routes of contracts: what the index knows
// of one, what its views return, its verification and the signals of bridges.
//
// A file holds a noun: its wire types, its handlers and its operations, which
// rest/table.go collects. Wire types that the facade's tests read are exported.
package contracts
