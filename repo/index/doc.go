// Package index writes the read model of a chain and reads it back whole.
//
// Leases says who may write. Writer is the only one that changes the index:
// it stores batches of blocks with COPY, opens and builds ranges, undoes blocks
// and rewrites derived rows, each in one transaction that commits only while
// the lease is held. Checkpoints says where an index stands. Archive reads
// stored blocks and classes back as the facts that were written, for digests,
// fsck and rederive, and Inspector compares the tables with one another.
// Changes to final facts begin a new epoch (advanceEpoch) and notify every
// process that caches them.
//
// What requests read of blocks, events and tokens is not here.
package index
