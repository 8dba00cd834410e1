// Package pg starts and owns a private Postgres server, if the program is not
// configured with a database.
//
// Start creates a cluster in a folder if there is none, starts the server on a
// Unix socket that only the user of the program can use, and stops it with the
// program. With Options.Restart, a server that dies is started again under the
// same URL. After a kill -9 at any moment the next Start continues: the kernel
// releases the lock of the folder, an unfinished cluster is deleted, and a
// server that was left running is stopped.
//
// The package handles the processes and files of Postgres, never its contents:
// no SQL, no schema and no driver. It imports only the standard library.
package pg
