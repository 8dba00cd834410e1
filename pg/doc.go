// Package pg starts and owns a private Postgres server, for when the program
// is given no database of its own.
//
// Start makes a cluster in a folder when there is none, launches the server on
// a Unix socket that only the program's user can use, and stops it with the
// program. A kill -9 at any moment leaves a folder from which the next Start
// goes on: the folder's lock is the kernel's, an unfinished cluster is thrown
// away, and a server left behind is stopped.
//
// The package knows Postgres' processes and files, never its contents: no SQL,
// no schema and no driver belong here. It imports the standard library alone.
package pg
