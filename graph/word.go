package graph

import (
	"strings"

	"github.com/99designs/gqlgen/graphql"

	"astrolabe/domain"
	"astrolabe/starknet"
)

// Word is a word of the domain that is a value of an enum: GraphQL writes it in
// upper case. That what comes in is a value of its enum is checked with the
// operation's other inputs.
type Word string

// MarshalWord writes a word.
func MarshalWord(w Word) graphql.Marshaler { return upper(w) }

// UnmarshalWord reads a word as the domain spells it.
func UnmarshalWord(v any) (Word, error) {
	text, ok := v.(string)
	if !ok {
		return "", domain.Errorf(domain.CodeInvalidRequest, "the value is not one of its enum")
	}
	return Word(strings.ToLower(text)), nil
}

// wordOrNil is nil for an empty word.
func wordOrNil[T ~string](word T) *Word {
	if word == "" {
		return nil
	}
	return new(Word(word))
}

// textOrNil is nil for an empty text.
func textOrNil(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// amountOrNil is a number that may be unknown.
func amountOrNil(n *starknet.Uint256) *domain.Amount {
	if n == nil {
		return nil
	}
	return new(domain.AmountFromBig(n.Big()))
}

// intOrNil is a small number that may be unknown.
func intOrNil(n *uint8) *int {
	if n == nil {
		return nil
	}
	return new(int(*n))
}
