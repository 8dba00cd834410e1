// Package indexed gives benchmarks a simulated chain of any length and its
// index: the recorded chain, the node that replays it, a private Postgres, and
// the program itself, which indexes the one into the other.
//
// A program that uses it is also its node: it runs itself again with the
// arguments -serve and -chain, see Chain.Start.
package indexed
