// Package tokens handles the REST routes of tokens: summaries, supplies and
// balances, transfers, controls, the holder census and pools.
//
// A file holds a noun: its wire types, its handlers and its operations, which
// rest/table.go collects. Wire types that the facade's tests read are exported.
package tokens
