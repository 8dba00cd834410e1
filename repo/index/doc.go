// Package index writes the read model of a chain and reads it back whole.
//
// Leases decides who may write. Writer is the only type that changes the index:
// it stores batches of blocks with COPY, opens and builds partitions, undoes blocks
// and rewrites derived rows, each in one transaction that commits only while
// the lease is held. Checkpoints reads the state of an index. Archive reads
// stored blocks and classes back as the facts that were written, for digests,
// fsck and rederive. Inspector checks that the tables are consistent, and
// Repairer replaces damaged rows. A change to finalized facts begins a new epoch
// (repo.AdvanceEpoch) and notifies every process that caches them.
//
// Reads of requests are not here, but in the packages of their tables.
package index
