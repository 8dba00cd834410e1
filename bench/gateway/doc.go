// Command gateway compares the JSON-RPC gateway with nginx in front of the same
// upstream: processor time per request, added latency at half load, batches
// against single requests, and cached blocks against the node. It also measures
// the delivery of new heads to many WebSockets. scripts/bench-gateway starts the
// processes and creates the API keys: ASTROLABE_API_KEY is a list, separated by
// commas, of one for requests and one for each hundred WebSockets, each of
// another workspace.
package main
