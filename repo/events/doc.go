// Package events reads events and keeps the certified index of their keys.
//
// Events has every list of events: of transactions, blocks and contracts, and
// searches by first keys and addresses. Certificates builds, extends and
// verifies the tables event_positions_N, one for each certified key position,
// and searches events by them.
//
// Lists of events are hot: each statement goes along one index of the ranges of
// events, in its order, and a test looks at their plans. Nothing here decodes
// an event or decides which search a filter needs; that is domain/event's.
package events
