// Package detail puts together everything that one answer tells of a
// transaction: the transaction, its calls, logs, transfers and messages.
//
// Each part is read by the service of its noun. What is decided here is only
// what concerns several of them: that all parts are of one chain, whatever is
// reorganised meanwhile, which parts a preview has, and what to say of a
// transaction that the index does not hold.
package detail
