package graph

import (
	"context"

	"astrolabe/domain"
	"astrolabe/domain/token"
	"astrolabe/starknet"
)

// TokenPool is a market where a token is traded.
type TokenPool struct {
	part
	among[*TokenPool]
	pool   *token.Pool
	paired starknet.Felt
	symbol *string
}

// MarketID returns the name of the market.
func (p *TokenPool) MarketID() string { return p.pool.MarketID() }

// MarketKind tells how the market makes its prices.
func (p *TokenPool) MarketKind() Word { return Word(p.pool.Factory.Kind) }

// ProtocolName returns the name of the protocol.
func (p *TokenPool) ProtocolName() string { return p.pool.Factory.Name }

// PoolAddress returns the contract of the pool.
func (p *TokenPool) PoolAddress() starknet.Felt { return p.pool.Address }

// PairedTokenAddress returns the token on the other side.
func (p *TokenPool) PairedTokenAddress() starknet.Felt { return p.paired }

// PairedTokenSymbol returns what that token calls itself.
func (p *TokenPool) PairedTokenSymbol() *string { return p.symbol }

// FeeBps returns the fee.
func (p *TokenPool) FeeBps() *int { return p.pool.FeeBps }

// CreatedAtBlock returns the block that created the pool.
func (p *TokenPool) CreatedAtBlock() uint64 { return p.pool.Block }

// TokenPoolEvidence is the event that created a pool.
type TokenPoolEvidence struct {
	Kind           string
	FactoryAddress starknet.Felt
	EventName      string
	TxHash         starknet.Felt
	LogIndex       int
	PoolClassHash  starknet.Felt
}

// Evidence returns the event that created the pool.
func (p *TokenPool) Evidence() TokenPoolEvidence {
	e := p.pool.Evidence()
	return TokenPoolEvidence{e.Kind, e.Factory, e.Event, e.TxHash, e.Log, e.Class}
}

// PairedToken returns the token on the other side.
func (p *TokenPool) PairedToken(ctx context.Context) (*Token, error) {
	return toOne(ctx, p.peers, p, "TokenPool.pairedToken", present((*TokenPool).PairedTokenAddress), p.tokens)
}

// Contract returns the contract of the pool.
func (p *TokenPool) Contract(ctx context.Context) (*Contract, error) {
	return toOne(ctx, p.peers, p, "TokenPool.contract", present((*TokenPool).PoolAddress), p.contracts)
}

// TokenPoolConnection is a page of pools.
type TokenPoolConnection = Connection[*TokenPool]

// TokenPoolEdge is a pool in a list.
type TokenPoolEdge = Edge[*TokenPool]

// Pools returns the pools where the token is traded.
func (t *Token) Pools(ctx context.Context, first *int, after *string) (*TokenPoolConnection, error) {
	return connect(ctx, t, first, after, t.poolsOfTokens, nil)
}

// poolsOfTokens reads a page of each token's pools.
func (p part) poolsOfTokens(ctx context.Context, tokens []*Token, request domain.PageRequest) ([]slice[*TokenPool], error) {
	lists, err := p.h.Pools.Of(ctx, p.chain, convert(tokens, (*Token).TokenAddress), request)
	if err != nil {
		return nil, err
	}
	pages := make([]domain.Page[token.Pool], len(lists))
	for i, list := range lists {
		if list == nil {
			return nil, token.Unknown(tokens[i].facts.Address)
		}
		pages[i] = list.Page
	}
	slices := slicesOf(pages, token.Pool.Position, func(i int, pool token.Pool) *TokenPool {
		paired := pool.Paired(tokens[i].facts.Address)
		return &TokenPool{part: p, pool: &pool, paired: paired, symbol: lists[i].Symbol(paired)}
	})
	for i := range slices {
		slices[i].coverage = coverageOf(lists[i].Coverage)
	}
	return slices, nil
}
