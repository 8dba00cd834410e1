// Package indexed provides a simulated chain of any length and its index to
// benchmarks: the recorded chain, the node that replays it, a private Postgres,
// and the program, which indexes the chain into it.
//
// A benchmark that uses it is also the node: it runs itself again with the
// arguments -serve and -chain, see Chain.Start.
package indexed
