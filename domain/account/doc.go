// Package account decides who may do what: API keys and, with them,
// workspaces, permissions, sessions, quotas and usage.
//
// A key's text is shown once to its owner; what is stored is a keyed hash
// that names the pepper generation it was made with. Nothing here knows HTTP
// headers or SQL.
package account
