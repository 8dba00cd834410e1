// Package node is the Starknet node seen as a client: a pool of upstreams
// that speak JSON-RPC over HTTP and WebSocket, for the index, for reads and
// for the gateway.
//
// A Pool knows which of its upstreams may be used (each proves its chain and
// its specification version before first use and again later), passes over
// the failing ones, and bounds concurrency and waiting. Reads fail over; a
// write is sent at most once, and its error tells whether it was sent at all.
// Typed calls return whole, self-consistent values or an error: package wire
// reads them. Forward and Subscribe carry bytes that nobody here interprets.
//
// What may be asked by whom, and what an answer means for the index, is not
// decided here. Upstream URLs may hold keys: only their hosts are ever shown.
package node
