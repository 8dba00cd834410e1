// Package relay wires the prover relay into the processes that serve the API: its
// settings, its listener for other processes, its metrics, and what keeps request
// bodies out of core dumps. The decisions are in domain/prove.
package relay
