// Package rest is the contract-exact REST facade.
//
// A request passes the middleware (request id, recovery, measurement), is
// parsed, is decided by one domain service and is rendered in one place.
//
// This package puts the facade together: the table of all operations, the
// middleware, the pages of errors and the routes that describe the facade
// itself. What every route is built on is in frame. The handlers of the nouns
// are in chains, contracts, tokens, addresses and accounts, each with its wire
// types, which are not domain types. The tests here ask the whole facade over
// HTTP. None of these packages imports repo or graph.
package rest
