// Package token holds what is known of tokens beyond the chain's own facts.
// One part is what a token says of itself: Describe asks its contract for
// name, symbol and decimals at one block, and ReadText and ReadDecimals decide
// what of the answers can be shown. Another is what happened to it: Transfers
// lists its movements, Tokens tells what they add up to, and Quantities asks for
// supplies and balances at any block. A third is the holder census: Criteria say
// of which tokens one can be made, Tally audits its rows against the supply,
// and Censuses answers from its generations.
//
// Nothing is guessed: an answer of another form than the two that contracts
// use is no answer. Which contracts are tokens, and their transfers, follow
// from blocks alone and live in domain/facts. Nothing here reads a database or
// knows how a node is reached.
//
// Who controls a token and where it is traded are told from indexed events and
// classes; the factories of markets are data (factories.json).
package token
