// Package delivery measures how a running program delivers new blocks to many
// subscribers: how long after the first one the others receive a block, and how
// much memory each takes in the program. The benchmarks say by which protocol
// they subscribe.
package delivery
