package facts

import (
	"maps"
	"slices"

	"astrolabe/starknet"
)

// Token is a contract that shows itself as a token.
type Token struct {
	Address  starknet.Felt
	Standard Standard
}

// Tokens returns the contracts that a block shows as tokens, by address: those
// whose class changed to one with a token's ABI, and those whose transfers
// were recognised. Where both speak, the class does.
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

// MayTransfer tells whether an event can be a movement of tokens, so that the
// class of its contract matters.
func MayTransfer(e *starknet.Event) bool { return isCandidate(e.Keys) }
