package indexing

import (
	"astrolabe/domain/facts"
	"astrolabe/starknet"
)

// FirstSeen are tokens with the block that showed each of them first.
type FirstSeen map[starknet.Felt]uint64

// First leaves of the tokens that a block shows those that no earlier block
// showed, and remembers them. Blocks come in their order; one may come again.
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
