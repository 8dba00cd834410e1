package token

import (
	"context"

	"astrolabe/domain"
	"astrolabe/starknet"
)

// Scope says which tokens of an address are meant.
type Scope string

// The scopes.
const (
	ScopeExplicit   Scope = "explicit"                 // those that the caller names
	ScopeDiscovered Scope = "discovered"               // those that indexed transfers show
	ScopeRegistry   Scope = "discovered_plus_registry" // and those of the registry
)

// Candidate is a token that an address may hold.
type Candidate struct {
	Address starknet.Felt
	Known   *Token // what is known of it; nil: nothing
}

// Discovery is the tokens that an address may hold.
type Discovery struct {
	Tokens  []Candidate
	Reasons []string // why these are not all within the scope; empty when they are
	Through *uint64  // up to which block transfers were looked at; nil: none
}

// Assets finds the tokens that addresses may hold.
type Assets interface {
	// Discovered returns at most limit tokens within a scope.
	Discovered(ctx context.Context, c domain.Chain, owner starknet.Felt, scope Scope, limit int) (Discovery, error)
}
