// Package privacy stores and reads the events of privacy pools, the flow ledger
// and what is prepared from it.
//
// The indexer writes privacy_events with their blocks. Ids of addresses never
// leave this package.
package privacy
