package address

import (
	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/starknet"
)

// Scope says which tokens of an address are meant.
type Scope string

// The scopes. Only a wallet takes the first.
const (
	ScopeExplicit     Scope = "explicit"                 // those that the caller names
	ScopeDiscovered   Scope = "discovered"               // those of the address' transfers
	ScopeWithRegistry Scope = "discovered_plus_registry" // and those that the registry lists
)

// Asset is a token that an address may hold. It says nothing of the balance.
type Asset struct {
	Token    starknet.Felt
	Proofs   []Proof // the strongest first
	Standard facts.Standard
	Symbol   *string
	Name     *string
	Decimals *uint8
	Listed   bool // among the tokens of the registry, if the scope has them
}

// Proof is why a token may be held.
type Proof struct {
	Tier   Tier
	Source ProofSource
	// LastBlock is where it was seen last, and AtLeast how often it was seen
	// at least; nil for what was not seen.
	LastBlock *uint64
	AtLeast   *int
}

// Tier tells how strong a proof is.
type Tier string

// The tiers.
const (
	TierObserved Tier = "observed" // the chain shows it
	TierListed   Tier = "listed"   // the token is well known; nothing else speaks for it
)

// ProofSource is what a proof is from.
type ProofSource string

// The sources of proofs.
const (
	ReceivedTransfers ProofSource = "transfers_received"
	SentTransfers     ProofSource = "transfers_sent"
	TokenRegistry     ProofSource = "token_registry"
)

// AssetCoverage tells what a list of assets leaves out. It never holds all that
// there are: tokens can come without a transfer that is recognised.
type AssetCoverage struct {
	Scope Scope
	// Reasons tell why this page and those before it do not hold every token
	// of the scope; there are none when they do.
	Reasons []string
	Through *uint64 // the newest block that was looked at; nil: none
}

// Complete tells whether every token of the scope is there. That is never a
// claim about all tokens that the address holds.
func (c AssetCoverage) Complete() bool { return len(c.Reasons) == 0 }

// AssetPage is a page of assets with its coverage.
type AssetPage struct {
	domain.Page[Asset]
	Coverage AssetCoverage
}

// AssetQuery asks for evidence: of the listed tokens, and of Discover other
// tokens or more that follow a token in the store's own order.
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
