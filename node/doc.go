// Package node is the client of Starknet nodes: a pool of upstreams that speak
// JSON-RPC over HTTP and WebSocket, for the indexer, for reads and for the
// gateway.
//
// A Pool checks the chain and the specification version of each upstream before
// its first use and in every survey, skips failing upstreams, and limits
// concurrency and waiting. Reads are spread over the healthy upstreams and fail
// over. A write is sent at most once, and
// its error says whether it was sent. Typed calls return complete, consistent
// values or an error; package wire decodes them. Forward and Subscribe pass
// bytes through unchanged.
//
// This package does not decide who may call what, or what a response means for
// the index. Upstream URLs may hold keys, so only their hosts are ever printed.
package node
