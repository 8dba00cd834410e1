// Package event holds contract events: their rows, the decoding of their
// payloads, and the rules of the event search.
//
// Keys and data are authoritative. A name and typed fields are added only from
// the class at the event's block, or from reviewed schemas of the standards;
// nothing is guessed, and no external source is called.
//
// Transfers of tokens, which follow from events, belong to token.
package event
