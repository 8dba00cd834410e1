// Package index keeps the read model in step with a chain's node.
//
// One process per chain leads, by a lease in the database; the others stand
// by and take over when the lease runs out. The leader reads blocks from the
// node, many at a time, derives their rows (domain/facts) and commits them in
// order. Far behind the tip it fills ranges that get their indexes when they
// are loaded; near the tip it commits each block as it comes, and undoes
// blocks that left the chain.
//
// Rows and checkpoint commit together, under a check of the checkpoint and of
// the lease's epoch, so a crash leaves nothing half-done and a leader that was
// paused past its lease cannot write. Whatever the node says is checked
// against what is stored before it is stored; a doubt halts the index with a
// reason, and the next turn looks again.
package index
