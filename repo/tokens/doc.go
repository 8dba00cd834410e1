// Package tokens keeps and reads what is known of tokens, one repository for
// each noun:
//
//   - Tokens: which contracts are tokens, and what they call themselves,
//   - Supplies: what they say of their supply,
//   - Transfers: lists of transfers,
//   - Summaries: counts of a token's transfers and parties,
//   - Census and CensusBuilder: who holds a token, read and made,
//   - Pools: the markets that known factories created.
//
// Transfers, events and the tokens themselves are written by the index; this
// package reads them, and writes only what jobs derive from them or ask nodes.
package tokens
