// Package rpc serves the JSON-RPC gateway over HTTP. Package gateway decides;
// this package authenticates, reads bodies and writes answers with the statuses
// and headers of the contract.
package rpc
