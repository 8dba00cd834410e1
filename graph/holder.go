package graph

import (
	"context"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/token"
	"astrolabe/starknet"
)

// Holder is one row of a holder census.
type Holder struct {
	part
	among[*Holder]
	row token.Holder
}

// Rank returns the row's rank.
func (h *Holder) Rank() int { return int(h.row.Rank) }

// Address returns the address.
func (h *Holder) Address() starknet.Felt { return h.row.Address }

// BalanceRaw returns the balance.
func (h *Holder) BalanceRaw() domain.Amount { return h.row.Balance }

// LastUpdatedBlock returns the newest block with a transfer from or to it.
func (h *Holder) LastUpdatedBlock() uint64 { return h.row.Updated }

// Account returns the same address as an address.
func (h *Holder) Account(ctx context.Context) (*Address, error) {
	return toOne(ctx, h.peers, h, "Holder.account", present((*Holder).Address), h.addresses)
}

// CensusCertification is how far a census can be relied on.
type CensusCertification struct {
	Status     Word
	CheckedAt  *time.Time
	ReasonCode *string
}

func certificationOf(g *token.Generation) CensusCertification {
	return CensusCertification{Word(g.Status), new(g.Checked()), textOrNil(g.Reason)}
}

// HolderConnection is a page of a holder census.
type HolderConnection struct {
	Connection[*Holder]
	HolderCount           *int
	HolderBalanceTotalRaw *domain.Amount
	GenerationID          string
	AsOfBlock             uint64
	AsOfBlockHash         starknet.Felt
	RowDigest             *string
	ExpiresAt             time.Time
	Completeness          Word
	Certification         CensusCertification
}

// HolderEdge is a holder in a list.
type HolderEdge = Edge[*Holder]

// censusSlice is a page of a census, or why there is none.
type censusSlice struct {
	slice[*Holder]
	token.Census
}

// Holders returns who held the token. The cursors end with the census.
func (t *Token) Holders(ctx context.Context, first *int, after *string) (*HolderConnection, error) {
	page, l, err := toMany(ctx, t, first, after, t.holdersOfTokens)
	if err == nil {
		err = page.Err
	}
	if err != nil {
		return nil, err
	}
	g := page.Generation
	l.expires = g.ExpiresAt
	c := &HolderConnection{
		Connection: Connection[*Holder]{slice: page.slice, list: l}, GenerationID: g.Name(), AsOfBlock: g.Block.Number, AsOfBlockHash: g.Block.Hash,
		ExpiresAt: g.ExpiresAt, Completeness: Word(g.Completeness()), Certification: certificationOf(g),
	}
	if s := g.Snapshot; s != nil {
		c.HolderCount, c.HolderBalanceTotalRaw, c.count = new(int(s.Holders)), &s.Total, exactly(int(s.Holders))
		c.RowDigest = new(s.RowDigest())
	}
	return c, nil
}

// holdersOfTokens reads a page of each token's holders.
func (p part) holdersOfTokens(ctx context.Context, tokens []*Token, request domain.PageRequest) ([]censusSlice, error) {
	requests := convert(tokens, func(t *Token) token.HolderRequest {
		return token.HolderRequest{Token: t.facts.Address, After: request.After}
	})
	found, err := p.h.Censuses.Holders(ctx, p.chain, requests, request.Limit)
	if err != nil {
		return nil, err
	}
	return p.censusSlices(found), nil
}

func (p part) censusSlices(found []token.HolderPage) []censusSlice {
	pages := convert(found, func(f token.HolderPage) domain.Page[token.Holder] { return f.Page })
	list := slicesOf(pages, nil, func(_ int, row token.Holder) *Holder { return &Holder{part: p, row: row} })
	slices := make([]censusSlice, len(list))
	for i, s := range list {
		s.at = func(j int) domain.Position { return found[i].Generation.Position(pages[i].Items[j]) }
		slices[i] = censusSlice{s, found[i].Census}
	}
	return slices
}

// HolderScreening is the largest holders of a token.
type HolderScreening struct {
	GenerationID       string
	AsOfBlock          uint64
	PopulationComplete bool // never a claim
	Certification      CensusCertification
	Items              []*Holder
}

// HolderScreening returns the token's largest holders.
func (t *Token) HolderScreening(ctx context.Context) (*HolderScreening, error) {
	page, err := load(ctx, t.peers, edge{field: "Token.holderScreening"}, t, func(ctx context.Context, tokens []*Token) ([]censusSlice, error) {
		found, err := t.h.Censuses.Screening(ctx, t.chain, convert(tokens, (*Token).TokenAddress))
		if err != nil {
			return nil, err
		}
		return t.censusSlices(found), nil
	})
	if err == nil {
		err = page.Err
	}
	if err != nil {
		return nil, err
	}
	g := page.Generation
	return &HolderScreening{GenerationID: g.Name(), AsOfBlock: g.Block.Number, Certification: certificationOf(g), Items: page.items}, nil
}
