// Command facades measures both facades of a running program against a bare chi
// handler that writes the same bytes, alternating within one run, and prints
// ratios. "make bench-facades" runs it. ASTROLABE_API_KEY is a key with rate
// limits above the load.
package main
