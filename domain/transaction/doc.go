// Package transaction answers with a transaction and all that it holds: its
// calls, events, transfers and messages, or a preview of them.
//
// The transaction itself is chain's. Store.PartsOf reads all parts in one
// statement; the services of the nouns decode them. What is decided here is only what concerns several of them: that all
// parts are of one chain, whatever is reorganised meanwhile, which parts a
// preview has, and what to say of a transaction that the index does not hold.
package transaction
