// Package pgtest gives each test a Postgres database of its own.
//
// The first test of a process that asks starts a private server (or uses the
// one that the environment variable ASTROLABE_TEST_DATABASE_URL names); every
// database is a clone of a template that was filled once, which takes tens of
// milliseconds. Tests that change nothing may share one clone. Packages run as
// separate processes and share nothing.
//
// A server and its folder never outlive the test binary, not even a killed
// one: see reaper.go. What a template holds is the caller's business, so this
// package knows no schema. Only tests import it.
package pgtest
