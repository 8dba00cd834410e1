// Command facades measures both facades of a running program against a bare
// chi handler that writes the same bytes, in turns within one run, and prints
// ratios. It is run by "make bench-facades". ASTROLABE_API_KEY holds a key with
// budgets that the load does not use up.
package main
