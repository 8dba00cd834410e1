// Package materialise keeps prepared what requests could not compute in time:
// certificates, by which events are found by the key of a position over any
// number of blocks.
//
// The positions are declared by the operator. Each has a certificate, which is
// built from finalized blocks, counted again from the events and then used; it
// grows with the finalized tier, and is counted again every hour. One that
// does not agree with the events is failed and stays so, until an operator has
// it built anew.
//
// What a certificate means is decided in domain/event; where its rows are is
// the store's business.
package materialise
