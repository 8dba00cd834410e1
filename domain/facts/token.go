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

// Tokens returns the tokens of a block, by address: contracts whose class
// changed to one with a token ABI, and contracts with recognised transfers. The
// class takes precedence.
func Tokens(changes []ClassChange, transfers []Transfer, at View) []Token {
	shown := make(map[starknet.Felt]Standard)
	for i := range transfers {
		shown[transfers[i].Token] = transfers[i].Standard
	}
	for _, change := range changes {
		runtime := at.Runtime(change.Address)
		class := runtime.After
		if class == nil {
			class = runtime.Before
		}
		if class != nil && class.Standard != "" {
			shown[change.Address] = class.Standard
		}
	}
	tokens := make([]Token, 0, len(shown))
	for _, address := range slices.SortedFunc(maps.Keys(shown), starknet.Felt.Cmp) {
		tokens = append(tokens, Token{address, shown[address]})
	}
	return tokens
}

// MayTransfer reports whether an event can be a token transfer, so that the
// class of its contract is needed.
func MayTransfer(e *starknet.Event) bool { return isCandidate(e.Keys) }
