// Package pgtest gives each test its own Postgres database.
//
// The first test of a process starts a private server, or uses the one in the
// environment variable ASTROLABE_TEST_DATABASE_URL. Every database is a clone
// of a template that was filled once, which takes tens of milliseconds.
// Read-only tests may share one clone. Packages run as separate processes and
// share nothing.
//
// A server and its folder never outlive the test binary, even if it is killed:
// see reaper.go. The caller defines what a template holds, so this package
// knows no schema. Only tests import it.
package pgtest
