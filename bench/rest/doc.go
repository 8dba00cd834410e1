// Command rest measures REST reads of the index of a long chain. "make
// bench-rest" runs it.
//
// The program indexes a simulated chain into a private Postgres and serves it.
// The statements of its requests are taken from the server's log, with their
// arguments: pgbench runs the same statements, and so does a bare handler of
// chi and pgx with the same keys and rate limits. All use the same number of
// connections to the same database, in turns. It also compares pages deep in a
// list with first ones, a batch with single reads, and the pages that a search
// of events reads at growing sizes of the index.
//
// Given the program of an earlier commit, it measures both in turns, each over
// its own index of the same chain, and prints the ratio.
package main
