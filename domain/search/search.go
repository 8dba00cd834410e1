package search

import (
	"context"
	"strings"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/starknet"
)

// Kind is what was found.
type Kind string

// The kinds.
const (
	Block       Kind = "block"
	Transaction Kind = "transaction"
	Class       Kind = "class"
	Token       Kind = "token"
	Account     Kind = "account"
	Contract    Kind = "contract"
	Address     Kind = "address" // one that has done or received something but is no contract
)

// Match is by what it was found.
type Match string

// What texts are compared with.
const (
	ByNumber  Match = "number"
	ByHash    Match = "hash"
	ByAddress Match = "address"
	BySymbol  Match = "symbol"
	ByName    Match = "name"
)

// Hit is one thing that a text names.
type Hit struct {
	Kind    Kind
	ID      string  // the number of a block, else the hash or the address
	Label   *string // what it calls itself; nil when it does not
	Matched Match
}

// Felt is what a felt names.
type Felt struct {
	Block       *uint64 // the number of the block with that hash
	Transaction bool
	Class       bool
	Address     *AddressHit // nil when the address has done nothing
}

// AddressHit is what is known of an address.
type AddressHit struct {
	Token    bool
	Symbol   *string
	Name     *string
	Contract bool
	Account  bool // a contract with an account's entry points
}

// TokenHit is a token that was found by what it calls itself.
type TokenHit struct {
	Address starknet.Felt
	Symbol  *string
	Name    *string
}

// Store looks into the indexes, at blocks up to a number.
type Store interface {
	// SearchFelt returns what a felt names.
	SearchFelt(ctx context.Context, c domain.Chain, felt starknet.Felt, upTo uint64) (Felt, error)
	// SearchTokens returns tokens whose symbol or name begins with a text in
	// whatever case: those that are nothing but the text first, then the
	// others in their order, at most limit of each.
	SearchTokens(ctx context.Context, c domain.Chain, text string, upTo uint64, limit int) (bySymbol, byName []TokenHit, err error)
}

// Search finds what texts name.
type Search struct {
	store    Store
	blocks   *chain.Blocks
	statuses *chain.Statuses
}

// New makes the service.
func New(store Store, blocks *chain.Blocks, statuses *chain.Statuses) *Search {
	return &Search{store, blocks, statuses}
}

// tokensEach is how many tokens are found by symbol, and by name, at most.
const tokensEach = 10

// Find returns what a text names, the most exact first: at most one block, and
// no more than twice tokensEach others. Unknown texts name nothing.
func (s *Search) Find(ctx context.Context, c domain.Chain, text string) ([]Hit, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return nil, domain.Errorf(domain.CodeInvalidRequest, "q must have a text that is not blank")
	}
	horizon, err := s.statuses.Horizon(ctx, c)
	if err != nil || horizon.Coverage == nil {
		return nil, err
	}
	id, err := chain.ParseBlockID(text)
	if err == nil && id.Hash != nil {
		found, err := s.store.SearchFelt(ctx, c, *id.Hash, horizon.Coverage.Last)
		return found.hits(*id.Hash), err
	}
	var hits []Hit
	if err == nil {
		blocks, err := s.blocks.ByID(ctx, c, []chain.BlockID{id})
		if err != nil {
			return nil, err
		}
		if blocks[0] != nil {
			hits = append(hits, Hit{Kind: Block, ID: id.String(), Matched: ByNumber})
		}
	}
	bySymbol, byName, err := s.store.SearchTokens(ctx, c, text, horizon.Coverage.Last, tokensEach)
	return append(hits, tokenHits(bySymbol, byName)...), err
}

// hits lists what a felt names.
func (f Felt) hits(felt starknet.Felt) (hits []Hit) {
	id := felt.String()
	if f.Transaction {
		hits = append(hits, Hit{Kind: Transaction, ID: id, Matched: ByHash})
	}
	if f.Block != nil {
		hits = append(hits, Hit{Kind: Block, ID: chain.NumberID(*f.Block).String(), Matched: ByHash})
	}
	if f.Class {
		hits = append(hits, Hit{Kind: Class, ID: id, Matched: ByHash})
	}
	if a := f.Address; a != nil {
		hits = append(hits, Hit{Kind: a.kind(), ID: id, Label: label(a.Symbol, a.Name), Matched: ByAddress})
	}
	return hits
}

func (a *AddressHit) kind() Kind {
	switch {
	case a.Token:
		return Token
	case a.Account:
		return Account
	case a.Contract:
		return Contract
	}
	return Address
}

// tokenHits lists tokens by symbol, then those by name that are not among them.
func tokenHits(bySymbol, byName []TokenHit) (hits []Hit) {
	known := make(map[starknet.Felt]bool)
	add := func(tokens []TokenHit, matched Match) {
		for _, token := range tokens {
			if !known[token.Address] {
				known[token.Address] = true
				hits = append(hits, Hit{Kind: Token, ID: token.Address.String(), Label: label(token.Symbol, token.Name), Matched: matched})
			}
		}
	}
	add(bySymbol, BySymbol)
	add(byName, ByName)
	return hits
}

// label is what a token calls itself.
func label(symbol, name *string) *string {
	if symbol == nil {
		return name
	}
	if name == nil || *name == *symbol {
		return symbol
	}
	return new(*symbol + " (" + *name + ")")
}
