package address

import (
	"context"
	"encoding/binary"
	"math"
	"slices"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/starknet"
)

// Scope is which tokens are looked for.
type Scope string

// The scopes.
const (
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

// AssetCoverage tells what a list of assets leaves out.
type AssetCoverage struct {
	Scope Scope
	// Complete tells that this page and those before it hold every token of
	// the scope.
	Complete bool
	// Reasons tell why a list is not complete: within its scope, and beyond.
	Reasons []string
	Through *uint64 // the newest block that was looked at
}

// The reasons.
const (
	// ReasonTransfersOnly is always among them: tokens can come without a
	// transfer that is recognised.
	ReasonTransfersOnly = "transfer_evidence_only"
	// ReasonMorePages means that the list goes on.
	ReasonMorePages = "more_pages"
)

// AssetPage is a page of assets with its coverage.
type AssetPage struct {
	domain.Page[Asset]
	Coverage AssetCoverage
}

// AssetQuery asks for evidence: of the listed tokens, and of Discover other
// tokens that follow a token in the store's own order.
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

// Discovered returns the first tokens of an address, at most limit, and what
// that leaves out.
func (a *Addresses) Discovered(ctx context.Context, c domain.Chain, owner starknet.Felt, scope Scope, limit int) (AssetPage, error) {
	pages, err := a.Assets(ctx, c, []starknet.Felt{owner}, scope, domain.PageRequest{Limit: limit})
	if err != nil {
		return AssetPage{}, err
	}
	return pages[0], nil
}

// Assets returns a page of the tokens of each address: those of the registry
// by address, if the scope has them, then the others in an order that stays.
func (a *Addresses) Assets(ctx context.Context, c domain.Chain, owners []starknet.Felt, scope Scope, page domain.PageRequest) ([]AssetPage, error) {
	query, listed, err := assetQuery(c, scope, page)
	if err != nil {
		return nil, err
	}
	through, covered, err := a.covered(ctx, c)
	if err != nil {
		return nil, err
	}
	return spread(owners, func(owners []starknet.Felt) ([]AssetPage, error) {
		query.Owners = owners
		found, err := a.store.AssetsOf(ctx, c, query)
		if err != nil {
			return nil, err
		}
		pages := make([]AssetPage, len(owners))
		for i := range owners {
			cut := domain.CutPage(assetsOf(listed, found[i]), page.Limit, assetPosition(listed))
			pages[i] = AssetPage{cut, assetCoverage(scope, covered, cut.Next != nil, through)}
		}
		return pages, nil
	})
}

// The phases of the list, as its positions have them.
const (
	phaseListed = iota
	phaseDiscovered
)

// assetQuery returns what a page needs: the tokens of the registry that are
// left, one more than the page has at most, and as many others.
func assetQuery(c domain.Chain, scope Scope, page domain.PageRequest) (q AssetQuery, listed []RegistryToken, err error) {
	if scope == ScopeWithRegistry {
		listed = RegistryTokens(c)
	}
	for _, token := range listed {
		q.Except = append(q.Except, token.Address)
	}
	if page.After != nil {
		after, err := assetOf(page.After)
		if err != nil {
			return q, nil, err
		}
		if page.After[0] == phaseDiscovered {
			listed, q.After = nil, &after
		} else {
			listed = slices.DeleteFunc(slices.Clone(listed), func(t RegistryToken) bool { return t.Address.Cmp(after) <= 0 })
		}
	}
	listed = listed[:min(len(listed), page.Limit+1)]
	for _, token := range listed {
		q.Listed = append(q.Listed, token.Address)
	}
	q.Discover = page.Limit + 1 - len(listed)
	return q, listed, nil
}

// assetOf reads the token of a position: the phase and four words of its felt.
func assetOf(p domain.Position) (token starknet.Felt, err error) {
	if err := checkPosition(p, phaseDiscovered, math.MaxUint64, math.MaxUint64, math.MaxUint64, math.MaxUint64); err != nil {
		return token, err
	}
	for i, word := range p[1:] {
		binary.BigEndian.PutUint64(token[8*i:], word)
	}
	return token, nil
}

// assetPosition writes what assetOf reads.
func assetPosition(listed []RegistryToken) func(Asset) domain.Position {
	return func(a Asset) domain.Position {
		p := domain.Position{phaseDiscovered}
		if slices.ContainsFunc(listed, func(t RegistryToken) bool { return t.Address == a.Token }) {
			p[0] = phaseListed
		}
		for i := 0; i < len(a.Token); i += 8 {
			p = append(p, binary.BigEndian.Uint64(a.Token[i:]))
		}
		return p
	}
}

// assetsOf puts the listed tokens before the discovered ones.
func assetsOf(listed []RegistryToken, found []Holding) []Asset {
	assets := make([]Asset, 0, len(listed)+len(found))
	for _, token := range listed {
		holding := Holding{Token: token.Address}
		if i := slices.IndexFunc(found, func(h Holding) bool { return h.Listed && h.Token == token.Address }); i >= 0 {
			holding = found[i]
		}
		assets = append(assets, token.asset(holding))
	}
	for _, holding := range found {
		if !holding.Listed {
			assets = append(assets, holding.asset())
		}
	}
	return assets
}

func (h Holding) asset() Asset {
	asset := Asset{Token: h.Token, Standard: h.Standard, Symbol: h.Symbol, Name: h.Name, Decimals: h.Decimals}
	for _, side := range []struct {
		ProofSource
		Observed
	}{{ReceivedTransfers, h.Received}, {SentTransfers, h.Sent}} {
		if side.AtLeast > 0 {
			asset.Proofs = append(asset.Proofs, Proof{TierObserved, side.ProofSource, &side.LastBlock, &side.AtLeast})
		}
	}
	return asset
}

// asset adds what the registry knows. What the contract says of itself counts
// more.
func (t RegistryToken) asset(h Holding) Asset {
	asset := h.asset()
	asset.Proofs = append(asset.Proofs, Proof{Tier: TierListed, Source: TokenRegistry})
	if asset.Standard == "" {
		asset.Standard = facts.ERC20
	}
	if asset.Symbol == nil {
		asset.Symbol = &t.Symbol
	}
	if asset.Name == nil {
		asset.Name = &t.Name
	}
	if asset.Decimals == nil {
		asset.Decimals = &t.Decimals
	}
	return asset
}

func assetCoverage(scope Scope, covered domain.Coverage, goesOn bool, through *uint64) AssetCoverage {
	c := AssetCoverage{
		Scope: scope, Complete: !goesOn && covered.Status == domain.CoverageExact, Reasons: []string{ReasonTransfersOnly}, Through: through,
	}
	if goesOn {
		c.Reasons = append(c.Reasons, ReasonMorePages)
	}
	if covered.ReasonCode != "" {
		c.Reasons = append(c.Reasons, covered.ReasonCode)
	}
	return c
}
