// Package prove relays transactions to a prover: each submission becomes one job,
// each attempt is sent at most once, and each result is delivered at most once.
//
// A Relay is the part of one process. It accepts submissions, keeps their bodies in
// its own memory until they are sent, and keeps results there until they are
// delivered or expire. The Store keeps everything else: status, budgets and keyed
// digests, but no content. The process that accepted a job is its holder. It
// writes a heartbeat, and other processes end the jobs of a holder that is silent.
// Every write of a holder is conditional on still being it.
//
// Bodies contain private keys. They and the results are Private, which nothing
// prints or encodes.
package prove
