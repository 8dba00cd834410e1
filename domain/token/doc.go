// Package token holds tokens. Describe reads name, symbol and decimals from the
// contract at one block, and ReadText and ReadDecimals decide which values can
// be displayed. Transfers lists transfers, Tokens summarises them, and
// Quantities reads supplies and balances at any block. For the holder census,
// Criteria decide which tokens qualify, Tally audits the rows against the
// supply, and Censuses serves the generations.
//
// Nothing is guessed: an answer of another form than the two that contracts
// use is no answer. Which contracts are tokens, and their transfers, follow
// from blocks alone and live in domain/facts. Nothing here reads a database or
// knows how a node is reached.
//
// Controls and liquidity pools are derived from indexed events and classes; the
// factories of pools are data (factories.json).
package token
