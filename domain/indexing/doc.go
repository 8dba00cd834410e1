// Package indexing holds the vocabulary of writing the index: who may write
// (Lease), how far the index is (Checkpoint, Range), what is written at once
// (Batch), how stored rows are derived again (Replay), and what is found wrong
// with them (Finding, DamageError, AlteredError) and how to repair it (Advice).
//
// The index loop, fsck, repair and rederive use it with the store. What readers
// ask of a chain is in package chain, which knows nothing of this one.
package indexing
