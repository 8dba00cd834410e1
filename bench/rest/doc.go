// Command rest measures REST's reads over the index of a long chain. It is run
// by "make bench-rest".
//
// The program itself indexes a simulated chain into a private Postgres and
// serves it. What its requests send to the database is taken from the server's
// log, with its arguments: pgbench runs these very statements, and so does a
// bare handler of chi and pgx behind the same keys and budgets. All of them use
// as many connections to the same database, in turns. Further, pages deep in a
// list are compared with first ones, a batch with single reads, and the pages
// that a search of events touches at growing sizes of the index.
//
// Given the program of an earlier commit, it measures both in turns, each over
// its own index of the same chain, and prints the ratio.
package main
