// Package addresses reads what is known of addresses: their activity and
// transactions, the tokens that they may hold, their summaries and profiles,
// the labels that operators gave them, and what a search finds.
//
// Addresses serves address.Store, Labels address.Notes and Search search.Store.
// Every read answers for all of its addresses with one statement, so that the
// answer is of one moment, and follows indexes however busy an address is.
// Labels are the only rows that are written here; everything else is written by
// the index.
package addresses
