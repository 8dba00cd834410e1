// Package privacy serves the public facts of privacy pools: their events, notes
// and nullifiers, the finalized flow ledger with its hourly points, and prepared
// metrics.
//
// Every number comes from public events. The package neither knows nor derives
// who owns a note, which deposit a withdrawal belongs to, how large an
// anonymity set is, or what a user or the pool holds.
package privacy
