// Package addresses handles the REST routes of addresses: activity,
// transactions, assets, labels, batches and wallets.
//
// A file holds a noun: its wire types, its handlers and its operations, which
// rest/table.go collects. Wire types that the facade's tests read are exported.
package addresses
