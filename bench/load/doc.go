// Package load drives an HTTP server from many connections for a fixed time
// and tells how it fared, and starts those that it is compared with. Benchmarks
// use it so that all of them mean the same by a rate, a percentile and a
// comparison in turns.
package load
