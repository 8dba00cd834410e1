// Package explorer puts the domain's services together over their stores, so that
// every facade asks the same ones.
//
// A service is added here in three lines: a field of Services, its store's
// interface in Stores, and its making in New. Decisions live in the services'
// own packages, never here.
package explorer
