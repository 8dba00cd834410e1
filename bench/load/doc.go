// Package load sends requests to an HTTP server from many connections for a
// fixed time and measures it, and starts the processes to compare it with. All
// benchmarks use it, so that they mean the same by a rate, a percentile and a
// comparison in turns.
package load
