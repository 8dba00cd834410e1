// Package privacy holds the worker that extends the flow ledgers of privacy pools
// over finalized blocks.
//
// A step is one transaction that also moves the ledger, so a crash undoes the
// whole step, and the next run continues from there. A ledger whose blocks were
// undone or derived again is rebuilt from the first block on.
package privacy
