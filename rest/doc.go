// Package rest is the contract-exact REST facade.
//
// A request passes the middleware (request ID, recovery, metrics), is parsed, is
// answered by one domain service and is rendered in one place.
//
// This package assembles the facade: the operation table, the middleware, the
// landing page, the error pages and the discovery routes. Package frame is the
// foundation of all routes. The handlers are in chains, contracts, tokens, addresses and accounts,
// each with its wire types, which are separate from domain types. The tests here
// call the whole facade over HTTP. None of these packages imports repo or graph.
package rest
