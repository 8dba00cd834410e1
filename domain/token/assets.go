package token

import (
	"context"

	"astrolabe/domain"
	"astrolabe/domain/chain"
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

// Why a list of tokens is not all that its scope means.
const (
	ReasonLimit       = "limit_reached"        // there are more than were asked for
	ReasonIndexBehind = "index_behind_block"   // the index does not reach the block in question
	ReasonNoRegistry  = "registry_unavailable" // there is no registry here
)

// Discovery is the tokens that an address may hold.
type Discovery struct {
	Tokens  []starknet.Felt
	Reasons []string // why these are not all within the scope; empty when they are
	Through *uint64  // up to which block transfers were looked at; nil: none
}

// Assets finds the tokens that addresses may hold.
type Assets interface {
	// Discovered returns at most limit tokens within a scope.
	Discovered(ctx context.Context, c domain.Chain, owner starknet.Felt, scope Scope, limit int) (Discovery, error)
}

// ReceivedStore finds what was received.
type ReceivedStore interface {
	// ReceivedTokens returns tokens that an address has received, those first
	// that the index has known longest, at most limit.
	ReceivedTokens(ctx context.Context, c domain.Chain, owner starknet.Felt, limit int) ([]starknet.Felt, error)
}

// Received finds tokens by their indexed transfers alone.
type Received struct {
	store    ReceivedStore
	statuses *chain.Statuses
}

// NewReceived makes the service.
func NewReceived(store ReceivedStore, statuses *chain.Statuses) *Received {
	return &Received{store, statuses}
}

// Discovered implements Assets.
func (r *Received) Discovered(ctx context.Context, c domain.Chain, owner starknet.Felt, scope Scope, limit int) (Discovery, error) {
	horizon, err := r.statuses.Horizon(ctx, c)
	if err != nil {
		return Discovery{}, err
	}
	var found Discovery
	if seen := horizon.Coverage; seen != nil {
		found.Through = &seen.Last
		if seen.First > 0 {
			found.Reasons = append(found.Reasons, domain.ReasonIndexStart)
		}
	}
	if scope == ScopeRegistry {
		found.Reasons = append(found.Reasons, ReasonNoRegistry)
	}
	if found.Tokens, err = r.store.ReceivedTokens(ctx, c, owner, limit+1); err != nil {
		return Discovery{}, err
	}
	if len(found.Tokens) > limit {
		found.Tokens, found.Reasons = found.Tokens[:limit], append(found.Reasons, ReasonLimit)
	}
	return found, nil
}
