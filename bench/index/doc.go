// Command index measures the throughput, the size and the scaling of indexing a
// long chain. "make bench-index" runs it.
//
// A simulated node replays a recorded chain, in a separate process and from
// prerendered responses, so that it costs little more than a copy. The program
// indexes it over HTTP into a private Postgres, once for each size; then psql
// copies exactly the same rows. The output is ratios within this run, sizes on
// disk, memory, and the pages that a query reads.
//
// Sizes and comparisons are measured without verification. Then the smallest
// chain is indexed again at each level of --verify.
//
// Given the program of an earlier commit, it lets both index the same chain in
// turns and prints the ratio.
//
// Recordings are kept between runs, because they take the longest to make.
package main
