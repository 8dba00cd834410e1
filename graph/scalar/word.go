package scalar

import (
	"strings"

	"github.com/99designs/gqlgen/graphql"

	"astrolabe/domain"
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
