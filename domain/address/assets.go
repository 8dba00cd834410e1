package address

import (
	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/starknet"
)

// Scope selects the tokens of an address.
type Scope string

// The scopes. Only a wallet takes the first.
const (
	ScopeExplicit     Scope = "explicit"                 // those that the caller names
	ScopeDiscovered   Scope = "discovered"               // those of the address' transfers
	ScopeWithRegistry Scope = "discovered_plus_registry" // and those that the registry lists
)

// Asset is a token that an address may hold, without its balance.
type Asset struct {
	Token    starknet.Felt
	Proofs   []Proof // the strongest first
	Standard facts.Standard
	Symbol   *string
	Name     *string
	Decimals *uint8
	Listed   bool // in the registry, if the scope includes it
}

// Proof is why a token may be held.
type Proof struct {
	Tier   Tier
	Source ProofSource
	// LastBlock is the newest block with the evidence, and AtLeast a lower
	// bound of its occurrences; nil if it was not observed.
	LastBlock *uint64
	AtLeast   *int
}

// Tier is the strength of a proof.
type Tier string

// The tiers.
const (
	TierObserved Tier = "observed" // in indexed transfers
	TierListed   Tier = "listed"   // in the token registry only
)

// ProofSource is the source of a proof.
type ProofSource string

// The sources of proofs.
const (
	ReceivedTransfers ProofSource = "transfers_received"
	SentTransfers     ProofSource = "transfers_sent"
	TokenRegistry     ProofSource = "token_registry"
)

// AssetCoverage is the coverage of a list of assets. It is never globally
// complete: tokens can be received without a recognised transfer.
type AssetCoverage struct {
	Scope Scope
	// Reasons say why this page and the previous ones do not contain all tokens
	// of the scope; empty if they do.
	Reasons []string
	Through *uint64 // the newest block that was looked at; nil: none
}

// Complete reports whether all tokens of the scope are included. It makes no
// claim about all tokens of the address.
func (c AssetCoverage) Complete() bool { return len(c.Reasons) == 0 }

// AssetPage is a page of assets with its coverage.
type AssetPage struct {
	domain.Page[Asset]
	Coverage AssetCoverage
}

// AssetQuery requests the evidence of the listed tokens, and of at least
// Discover other tokens after a token in the order of the store.
type AssetQuery struct {
	Owners   []starknet.Felt
	Listed   []starknet.Felt
	Except   []starknet.Felt // tokens that are not to be discovered
	Discover int
	After    *starknet.Felt // nil: from the beginning
}

// Holding is the evidence for one token. Listed tokens that the store has never
// seen are absent.
type Holding struct {
	Token          starknet.Felt
	Listed         bool
	Received, Sent Observed
	Standard       facts.Standard
	Symbol         *string
	Name           *string
	Decimals       *uint8
}

// Observed is how often something was seen at least, and where last. Nothing
// was seen when AtLeast is 0.
type Observed struct {
	AtLeast   int
	LastBlock uint64
}
