// Package rpc is the endpoint of the JSON-RPC gateway: it authenticates
// requests, reads their bodies, and renders the answers of domain/gateway, over
// HTTP and over WebSocket. A conversation is one client on a WebSocket.
package rpc
