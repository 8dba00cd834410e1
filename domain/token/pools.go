package token

import (
	"cmp"
	"context"
	"slices"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/starknet"
)

// Pool is a market that a known factory created.
type Pool struct {
	Factory *Factory
	Address starknet.Felt
	Tokens  [2]starknet.Felt
	FeeBps  *int           // nil when unknown
	Class   *starknet.Felt // that it was deployed with; nil when it was not deployed with its event
	Block   uint64
	Tx, Log int
	TxHash  starknet.Felt
}

// Recognised reports whether the pool's class is one of its factory's.
func (p *Pool) Recognised() bool { return p.Factory.recognises(p.Class) }

// Position is the place of a pool in the list of a token's.
func (p Pool) Position() domain.Position {
	return domain.Position{p.Block, uint64(p.Tx), uint64(p.Log)}
}

// MarketID names the market beyond doubt.
func (p *Pool) MarketID() string { return p.Factory.Protocol + ":" + p.Address.String() }

// Paired is the token on the other side.
func (p *Pool) Paired(token starknet.Felt) starknet.Felt {
	if p.Tokens[0] == token {
		return p.Tokens[1]
	}
	return p.Tokens[0]
}

// PoolEvidence is the event that created a pool, with the class that the pool
// was deployed with.
type PoolEvidence struct {
	Kind    string
	Factory starknet.Felt
	Event   string
	TxHash  starknet.Felt
	Log     int
	Class   starknet.Felt
}

// factoryEvent is the only kind of evidence for a pool.
const factoryEvent = "factory_event"

// Evidence returns the evidence of a recognised pool. Other pools are never
// listed and have none.
func (p *Pool) Evidence() PoolEvidence {
	return PoolEvidence{factoryEvent, p.Factory.Address, p.Factory.Event, p.TxHash, p.Log, *p.Class}
}

// Why a list of pools is not exact.
const (
	ReasonPoolsLagging      = "markets_lagging"         // so many pools were created lately that not all were looked at
	ReasonPoolsUnrecognised = "unrecognised_pool_class" // a factory created a pool of the token with a class that is not known
)

// PoolStore reads pools.
type PoolStore interface {
	// Pools returns the pools of each token that the factories created,
	// recognised or not, newest first after a position of block, transaction
	// and log: at least limit+1 if there are as many. late reports that more
	// were created recently than are read.
	Pools(ctx context.Context, c domain.Chain, known []Factory, tokens []starknet.Felt, page domain.PageRequest) (lists [][]Pool, late bool, err error)
}

// Pools answers which markets there are.
type Pools struct {
	store     PoolStore
	contracts *chain.Contracts
	statuses  *chain.Statuses
}

// NewPools makes the service.
func NewPools(store PoolStore, contracts *chain.Contracts, statuses *chain.Statuses) *Pools {
	return &Pools{store, contracts, statuses}
}

// PoolList is a page of a token's pools, with the symbols of the paired tokens
// and its coverage.
type PoolList struct {
	domain.Page[Pool]
	Symbols  map[starknet.Felt]string
	Coverage domain.Coverage
}

// Symbol returns the symbol of a paired token, nil if unknown.
func (l *PoolList) Symbol(paired starknet.Felt) *string {
	if symbol, known := l.Symbols[paired]; known {
		return &symbol
	}
	return nil
}

// Of returns a page of each token's pools, newest first, nil for an unknown
// token.
func (s *Pools) Of(ctx context.Context, c domain.Chain, tokens []starknet.Felt, page domain.PageRequest) ([]*PoolList, error) {
	contracts, err := s.contracts.Of(ctx, c, tokens)
	if err != nil {
		return nil, err
	}
	found, late, err := s.store.Pools(ctx, c, Factories(c), tokens, page)
	if err != nil {
		return nil, err
	}
	horizon, err := s.statuses.Horizon(ctx, c)
	if err != nil {
		return nil, err
	}
	lists := make([]*PoolList, len(tokens))
	var paired []starknet.Felt
	for i, of := range tokens {
		if contracts[i] == nil || contracts[i].Token == nil {
			continue
		}
		lists[i] = newPoolList(found[i], page.Limit, horizon.History(), late)
		for _, pool := range lists[i].Items {
			paired = append(paired, pool.Paired(of))
		}
	}
	symbols, err := s.symbols(ctx, c, paired)
	for _, list := range lists {
		if list != nil {
			list.Symbols = symbols
		}
	}
	return lists, err
}

// At returns a page of one token's pools. An address that is not known as a
// token is not_found.
func (s *Pools) At(ctx context.Context, c domain.Chain, address starknet.Felt, page domain.PageRequest) (*PoolList, error) {
	lists, err := s.Of(ctx, c, []starknet.Felt{address}, page)
	if err != nil {
		return nil, err
	}
	if lists[0] == nil {
		return nil, Unknown(address)
	}
	return lists[0], nil
}

// newPoolList cuts a page and keeps the recognised pools.
func newPoolList(pools []Pool, limit int, history domain.Coverage, late bool) *PoolList {
	slices.SortFunc(pools, func(a, b Pool) int {
		return -cmp.Or(cmp.Compare(a.Block, b.Block), cmp.Compare(a.Tx, b.Tx), cmp.Compare(a.Log, b.Log))
	})
	list := &PoolList{Coverage: history, Page: domain.CutPage(pools, limit, Pool.Position)}
	all := len(list.Items)
	list.Items = slices.DeleteFunc(list.Items, func(p Pool) bool { return !p.Recognised() })
	if history.Status == domain.CoverageExact {
		switch {
		case late:
			list.Coverage = domain.Coverage{Status: domain.CoveragePartial, ReasonCode: ReasonPoolsLagging}
		case len(list.Items) < all:
			list.Coverage = domain.Coverage{Status: domain.CoveragePartial, ReasonCode: ReasonPoolsUnrecognised}
		}
	}
	return list
}

// symbols returns the known symbols of tokens.
func (s *Pools) symbols(ctx context.Context, c domain.Chain, tokens []starknet.Felt) (map[starknet.Felt]string, error) {
	contracts, err := s.contracts.Of(ctx, c, tokens)
	symbols := make(map[starknet.Felt]string, len(tokens))
	for _, contract := range contracts {
		if contract != nil && contract.Token != nil && contract.Token.Symbol != nil {
			symbols[contract.Address] = *contract.Token.Symbol
		}
	}
	return symbols, err
}
