// Package rest is the contract-exact REST facade.
//
// A request passes the middleware (request id, recovery, measurement), is
// parsed, is decided by one domain service and is rendered in one place.
// Wire types live next to their handler; they are not domain types. The
// package never imports repo or graph.
package rest
