package graph

import (
	"strings"

	"github.com/99designs/gqlgen/graphql"

	"astrolabe/domain"
	"astrolabe/domain/chain"
)

// MarshalChainID writes a chain's name.
func MarshalChainID(c domain.Chain) graphql.Marshaler { return quoted(string(c)) }

// UnmarshalChainID reads a chain's exact name.
func UnmarshalChainID(v any) (domain.Chain, error) {
	text, _ := v.(string)
	return domain.ParseChain(text)
}

// MarshalIndexState writes a state of an index in GraphQL's upper case.
func MarshalIndexState(s chain.IndexState) graphql.Marshaler {
	return quoted(strings.ToUpper(string(s)))
}

// UnmarshalIndexState reads a state of an index.
func UnmarshalIndexState(v any) (chain.IndexState, error) {
	text, _ := v.(string)
	switch s := chain.IndexState(strings.ToLower(text)); s {
	case chain.Following, chain.Backfilling, chain.Halted:
		return s, nil
	default:
		return "", domain.Errorf(domain.CodeInvalidRequest, "the index state is not known")
	}
}
