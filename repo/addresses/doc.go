// Package addresses reads the activity, transactions, token holdings, summaries
// and profiles of addresses, their labels, and the results of searches.
//
// Addresses implements address.Store, Labels address.Notes and Search
// search.Store. Every read handles all of its addresses with one statement, so
// that the result is of one snapshot, and uses indexes however busy an address
// is. This package writes only labels; the indexer writes everything else.
package addresses
