// Package explorer assembles the domain services over their stores, so that all
// facades share them.
//
// A service is added here in three lines: a field of Services, its store's
// interface in Stores, and its making in New. Decisions live in the services'
// own packages, never here.
package explorer
