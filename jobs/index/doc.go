// Package index keeps the read model of a chain in sync with its node.
//
// One process per chain leads by a lease in the database; the others stand by
// and take over when the lease expires. The leader fetches blocks from the node
// concurrently, derives their rows (domain/facts) and commits them in order.
// Far behind the head it loads partitions in bulk and builds their indexes
// afterwards. Near the head it commits each block as it arrives, and undoes
// blocks that left the chain.
//
// Rows and checkpoint commit in one transaction, which checks the checkpoint
// and the epoch of the lease. So a crash leaves no partial block, and a leader
// that was paused beyond its lease cannot write. Every response of the node is
// checked against the stored blocks before it is stored. A contradiction halts
// the indexer with a reason, and the next turn retries.
package index
