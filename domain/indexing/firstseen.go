package indexing

import (
	"astrolabe/domain/facts"
	"astrolabe/starknet"
)

// FirstSeen are tokens with the first block that had each of them.
type FirstSeen map[starknet.Felt]uint64

// First returns the tokens that no earlier block had and records them. Blocks come
// in their order; one may come again.
func (s FirstSeen) First(block uint64, tokens []facts.Token) []facts.Token {
	var first []facts.Token
	for _, token := range tokens {
		before, seen := s[token.Address]
		if !seen {
			s[token.Address] = block
		}
		if !seen || before == block {
			first = append(first, token)
		}
	}
	return first
}
