// Package tokens stores and reads tokens, with one repository per noun:
//
//   - Tokens: which contracts are tokens, and their metadata,
//   - Supplies: their reported total supplies,
//   - Transfers: lists of transfers,
//   - Summaries: the counts of a token's transfers and parties,
//   - Census and CensusBuilder: reading and building holder censuses,
//   - Pools: the market pools that known factories created.
//
// The indexer writes transfers, events and the tokens themselves. This package
// reads them, and writes only what jobs derive from them or read from nodes.
package tokens
