// Package prove handles the REST routes of the prover relay: submitting a
// transaction and polling its job. They exist only where the relay is enabled.
//
// Only GET delivers what a job holds, and the domain decides to whom. The content is
// written as the prover sent it, and nothing here logs, caches or compresses it.
package prove
