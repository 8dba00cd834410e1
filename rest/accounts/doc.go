// Package accounts handles the REST routes of the signed-in workspace: its API
// keys, its usage and its session.
//
// A file holds a noun: its wire types, its handlers and its operations, which
// rest/table.go collects. Wire types that the facade's tests read are exported.
package accounts
