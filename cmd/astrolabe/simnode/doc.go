// Package simnode runs the simulated nodes of "astrolabe up". Their chains are
// stored in the data folder, and resume at the next start.
package simnode
