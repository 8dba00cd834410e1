// Package onchain reads what the chain recorded, as far as readers can see it:
// blocks, transactions, messages between the layers, contracts and classes,
// and beside them chain heads, reorgs and verification records.
//
// There is one repository for each noun. All of them read through the
// connections for requests, one statement for each question, however many
// parents it is asked for; only Heads has to ask a connection that may write.
// Nothing here writes: that is for the index. Events, transfers and tokens have
// packages of their own.
package onchain
