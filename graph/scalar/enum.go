package scalar

import (
	"strings"

	"github.com/99designs/gqlgen/graphql"

	"astrolabe/domain"
)

// Enum is a value of an enum as the domain spells it, in lower case; GraphQL
// writes it in upper case. Input was checked against the enum's values before
// execution.
type Enum string

// MarshalEnum writes an enum value.
func MarshalEnum(e Enum) graphql.Marshaler { return upper(e) }

// UnmarshalEnum reads an enum value.
func UnmarshalEnum(v any) (Enum, error) {
	text, ok := v.(string)
	if !ok {
		return "", domain.Errorf(domain.CodeInvalidRequest, "The value must be one of the values of its enum, in upper case.")
	}
	return Enum(strings.ToLower(text)), nil
}
