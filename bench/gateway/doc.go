// Command gateway compares the JSON-RPC gateway with nginx in front of the same
// upstream: processor time per request, added latency at half load, batches
// against single requests, and cached blocks against the node. scripts/bench-gateway
// starts the processes.
package main
