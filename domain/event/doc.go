// Package event holds the events that contracts have emitted: what a row of
// them says, how its payload is decoded, and which searches over them are
// answered.
//
// Keys and data are what the chain says. A name and typed fields are added
// only from the class that was in force at the event's block, or from reviewed
// schemas of the standards; nothing is guessed and nobody outside the read
// model is asked.
//
// Transfers of tokens, which follow from events, belong to token.
package event
