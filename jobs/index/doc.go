// Package index keeps the read model in step with a chain's node.
//
// One process per chain leads, by a lease in the database; the others stand
// by and take over when the lease runs out. Whatever the leader writes is
// checked against the lease's epoch in the same transaction, so a leader that
// was paused past its lease cannot write.
package index
