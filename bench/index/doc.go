// Command index measures how fast, how small and how even the read model of a
// long chain is made. It is run by "make bench-index".
//
// A simulated node replays a recorded chain, in a process of its own and from
// answers that were rendered beforehand, so that it costs little more than a
// copy. The program itself indexes it, over HTTP and into a private Postgres,
// once for each size; then psql copies exactly the same rows. What is printed
// is ratios within this one run, sizes on disk, memory, and the pages that a
// query touches.
//
// Given the program of an earlier commit, both index the same chain in turns,
// and the ratio is printed.
//
// Recordings are kept between runs, because making them takes longest.
package main
