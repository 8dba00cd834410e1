// Package account decides who may do what: API keys and, with them,
// workspaces, permissions, sessions, quotas and usage.
//
// The owner sees an API key once; only its keyed hash is stored, with the
// generation of the pepper. Nothing here knows HTTP headers or SQL.
package account
