// Package privacy stores and reads what the index knows of privacy pools: their
// list, their events, and the flow ledger that a job keeps of the finalized ones.
//
// Ledgers extends the ledger. Each step is one transaction that locks the
// ledger's row, so that an undo of its blocks waits for it, and that moves the
// ledger on together with all rows that depend on it. What a step changes is
// decided by the pure function Fold of the domain package.
package privacy
