// Command facades measures both facades of a running program against a bare
// chi handler that writes the same bytes, in turns within one run, and prints
// ratios. It is run by "make bench-facades".
package main
