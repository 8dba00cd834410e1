package resolver

import (
	"context"

	"astrolabe/domain"
	"astrolabe/domain/token"
	"astrolabe/graph/cohort"
	"astrolabe/graph/scalar"
	"astrolabe/starknet"

	"github.com/graph-gophers/dataloader/v7"
)

// TokenPool is a liquidity pool of a token.
type TokenPool struct {
	onChain
	membership[*TokenPool]
	pool   *token.Pool
	paired starknet.Felt
	symbol *string
}

// MarketID returns the unique ID of the market.
func (p *TokenPool) MarketID() string { return p.pool.MarketID() }

// MarketKind returns the pricing model of the market.
func (p *TokenPool) MarketKind() scalar.Enum { return scalar.Enum(p.pool.Factory.Kind) }

// ProtocolName returns the protocol of the market.
func (p *TokenPool) ProtocolName() string { return p.pool.Factory.Name }

// PoolAddress returns the address of the pool contract.
func (p *TokenPool) PoolAddress() starknet.Felt { return p.pool.Address }

// PairedTokenAddress returns the address of the other token of the pair.
func (p *TokenPool) PairedTokenAddress() starknet.Felt { return p.paired }

// PairedTokenSymbol returns the self-declared symbol of the other token.
func (p *TokenPool) PairedTokenSymbol() *string { return p.symbol }

// FeeBps returns the swap fee in basis points.
func (p *TokenPool) FeeBps() *int { return p.pool.FeeBps }

// CreatedAtBlock returns the block in which the pool was created.
func (p *TokenPool) CreatedAtBlock() uint64 { return p.pool.Block }

// TokenPoolEvidence is the factory event that created a pool, and the class of
// the pool.
type TokenPoolEvidence struct {
	Kind           string
	FactoryAddress starknet.Felt
	EventName      string
	TxHash         starknet.Felt
	LogIndex       int
	PoolClassHash  starknet.Felt
}

// Evidence returns the factory event that created the pool.
func (p *TokenPool) Evidence() TokenPoolEvidence {
	e := p.pool.Evidence()
	return TokenPoolEvidence{e.Kind, e.Factory, e.Event, e.TxHash, e.Log, e.Class}
}

// PairedToken returns the other token of the pair.
func (p *TokenPool) PairedToken(ctx context.Context) (*Token, error) {
	return toOne(ctx, p, "TokenPool.pairedToken", requiredKey((*TokenPool).PairedTokenAddress), p.tokens())
}

// Contract returns the contract of the pool.
func (p *TokenPool) Contract(ctx context.Context) (*Contract, error) {
	return toOne(ctx, p, "TokenPool.contract", requiredKey((*TokenPool).PoolAddress), p.contracts())
}

// TokenPoolConnection is a page of liquidity pools.
type TokenPoolConnection = Connection[*TokenPool]

// TokenPoolEdge is an edge of a connection with one pool and its cursor.
type TokenPoolEdge = Edge[*TokenPool]

// Pools returns the liquidity pools of the token, newest first.
func (t *Token) Pools(ctx context.Context, first *int, after *string) (*TokenPoolConnection, error) {
	return connect(ctx, t, first, after, (*Token).TokenAddress, t.poolsOfTokens(), nil)
}

// poolsOfTokens pages through each token's pools.
func (on onChain) poolsOfTokens() pager[starknet.Felt, *token.PoolList, slice[*TokenPool]] {
	return pager[starknet.Felt, *token.PoolList, slice[*TokenPool]]{
		func(page domain.PageRequest) dataloader.BatchFunc[starknet.Felt, *token.PoolList] {
			return cohort.Each(func(ctx context.Context, tokens []starknet.Felt) ([]*dataloader.Result[*token.PoolList], error) {
				lists, err := on.resolver.Pools.Of(ctx, on.chain, tokens, page)
				results := make([]*dataloader.Result[*token.PoolList], len(lists))
				for i, list := range lists {
					results[i] = &dataloader.Result[*token.PoolList]{Data: list}
					if list == nil {
						results[i].Error = token.Unknown(tokens[i])
					}
				}
				return results, err
			})
		},
		on.poolSlices,
	}
}

func (on onChain) poolSlices(b *cohort.Batch[starknet.Felt, *token.PoolList]) []slice[*TokenPool] {
	pages := convert(b.Values, func(l *token.PoolList) domain.Page[token.Pool] {
		if l == nil {
			return domain.Page[token.Pool]{}
		}
		return l.Page
	})
	slices := slicesOf(b.Cache, pages, token.Pool.Position, func(i int, pool token.Pool) *TokenPool {
		paired := pool.Paired(b.Keys[i])
		return &TokenPool{onChain: on, pool: &pool, paired: paired, symbol: b.Values[i].Symbol(paired)}
	})
	for i, list := range b.Values {
		if list != nil {
			slices[i].coverage = coverageOf(list.Coverage)
		}
	}
	return slices
}
