// Package events reads events and maintains the certificates of their keys.
//
// Events has all lists of events: of transactions, blocks and contracts, and
// searches by first keys and addresses. Certificates builds, extends and
// verifies the tables event_positions_N, one per certified key position, and
// searches events by them.
//
// Lists of events are hot: each statement reads one index of the partitions of
// events in its order, and a test checks the plans. Nothing here decodes an
// event or decides which search a filter needs; domain/event does.
package events
