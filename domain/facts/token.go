package facts

import (
	"maps"
	"slices"

	"astrolabe/starknet"
)

// Token is a contract that is a token by its class or its transfers.
type Token struct {
	Address  starknet.Felt
	Standard Standard
}

// Tokens returns the tokens of a block, by address: contracts whose class or
// implementation changed to one with a token ABI, and contracts with recognised
// transfers. The class takes precedence.
func Tokens(changes []ClassChange, implementations []Implementation, transfers []Transfer, at View) []Token {
	standards := make(map[starknet.Felt]Standard)
	for i := range transfers {
		standards[transfers[i].Token] = transfers[i].Standard
	}
	add := func(address starknet.Felt) {
		var buffer [4]Code
		if standard := at.Runtime(address).Codes(buffer[:0])[0].Standard(); standard != "" {
			standards[address] = standard
		}
	}
	for i := range changes {
		add(changes[i].Address)
	}
	for i := range implementations {
		add(implementations[i].Address)
	}
	tokens := make([]Token, 0, len(standards))
	for _, address := range slices.SortedFunc(maps.Keys(standards), starknet.Felt.Cmp) {
		tokens = append(tokens, Token{address, standards[address]})
	}
	return tokens
}

// MayTransfer reports whether an event can be a token transfer, so that the
// class of its contract is needed.
func MayTransfer(e *starknet.Event) bool { return isCandidate(e.Keys) }
