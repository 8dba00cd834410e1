package search

import (
	"context"
	"slices"
	"strings"

	"astrolabe/domain"
	"astrolabe/domain/address"
	"astrolabe/domain/chain"
	"astrolabe/starknet"
)

// Kind is the kind of a result.
type Kind string

// The kinds.
const (
	Block       Kind = "block"
	Transaction Kind = "transaction"
	Class       Kind = "class"
	Token       Kind = "token"
	Account     Kind = "account"
	Contract    Kind = "contract"
	Address     Kind = "address" // one that is no contract, as far as is known
)

// Match is the property that matched the text.
type Match string

// The properties that a text is compared with.
const (
	ByNumber  Match = "number"
	ByHash    Match = "hash"
	ByMessage Match = "message_hash" // of a message that the transaction handles or sends
	ByAddress Match = "address"
	BySymbol  Match = "symbol"
	ByName    Match = "name"
	ByLabel   Match = "label"
)

// Hit is one search result.
type Hit struct {
	Kind    Kind
	ID      string  // the number of a block, else the hash or the address
	Label   *string // label or self-declared name; nil if unknown
	Matched Match
}

// Felt is the objects that have a hash.
type Felt struct {
	Block       *uint64 // the number of the block
	Transaction bool
	Class       bool
}

// AddressHit is an indexed address.
type AddressHit struct {
	Token    bool
	Symbol   *string
	Name     *string
	Contract bool
	Account  bool // a contract with an account's entry points
	// ProxyClass is the class of a contract that may be a proxy; nil for others.
	ProxyClass *starknet.Felt
}

// TokenHit is a token that was found by its symbol or name.
type TokenHit struct {
	Address starknet.Felt
	Symbol  *string
	Name    *string
}

// Store looks into the indexes, at blocks up to a number.
type Store interface {
	// SearchFelt returns the objects with a hash, and the address with the same
	// felt, nil if it is not indexed.
	SearchFelt(ctx context.Context, c domain.Chain, felt starknet.Felt, upTo uint64) (Felt, *AddressHit, error)
	// SearchAddresses returns the addresses, nil for one that is not indexed.
	SearchAddresses(ctx context.Context, c domain.Chain, addresses []starknet.Felt, upTo uint64) ([]*AddressHit, error)
	// SearchTokens returns tokens whose symbol or name begins with a text in
	// whatever case: those that are nothing but the text first, then the
	// others in their order, at most limit of each.
	SearchTokens(ctx context.Context, c domain.Chain, text string, upTo uint64, limit int) (bySymbol, byName []TokenHit, err error)
}

// MaxQuery is how many bytes the text of a search may have.
const MaxQuery = 256

// Search finds objects by text.
type Search struct {
	store           Store
	blocks          *chain.Blocks
	messages        *chain.Messages
	labels          *address.Labels
	implementations *chain.Implementations
	statuses        *chain.Statuses
}

// New makes the service.
func New(store Store, blocks *chain.Blocks, messages *chain.Messages, labels *address.Labels, implementations *chain.Implementations, statuses *chain.Statuses) *Search {
	return &Search{store, blocks, messages, labels, implementations, statuses}
}

// each is the maximum number of results by symbol, by label, by name and by
// message hash.
const each = 10

// Find returns the results of a text, most exact first: at most one block, and
// at most three times each others.
func (s *Search) Find(ctx context.Context, c domain.Chain, text string) ([]Hit, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return nil, domain.Errorf(domain.CodeInvalidRequest, "%s must not be blank.", domain.Argument("q"))
	}
	horizon, err := s.statuses.Horizon(ctx, c)
	if err != nil || horizon.Coverage == nil {
		return nil, err
	}
	if hash, malformed := starknet.ParseHash256(text); malformed == nil {
		return s.byHash(ctx, c, hash, horizon.Coverage.Last)
	}
	id, err := chain.ParseBlockID(text)
	switch {
	case err != nil:
		return s.byText(ctx, c, text, horizon.Coverage.Last)
	}
	blocks, err := s.blocks.ByID(ctx, c, []chain.BlockID{id})
	if err != nil {
		return nil, err
	}
	hits, err := s.byText(ctx, c, text, horizon.Coverage.Last)
	if blocks[0] != nil {
		hits = append([]Hit{{Kind: Block, ID: id.String(), Matched: ByNumber}}, hits...)
	}
	return hits, err
}

// byHash finds objects by felt, and messages, whose hashes from L2 to L1 can
// exceed a felt.
func (s *Search) byHash(ctx context.Context, c domain.Chain, hash starknet.Hash256, upTo uint64) (hits []Hit, err error) {
	if felt, malformed := starknet.ParseFelt(hash.String()); malformed == nil {
		if hits, err = s.byFelt(ctx, c, felt, upTo); err != nil {
			return nil, err
		}
	}
	messages, _, err := s.messages.All(ctx, c, chain.MessageFilter{Hash: &hash}, domain.PageRequest{Limit: each})
	if err != nil {
		return nil, err
	}
	for i := range messages.Items {
		hit := Hit{Kind: Transaction, ID: messages.Items[i].TxHash.String(), Matched: ByMessage}
		if !slices.Contains(hits, hit) { // one transaction may send the same message twice
			hits = append(hits, hit)
		}
	}
	return hits, nil
}

// byFelt finds objects by felt.
func (s *Search) byFelt(ctx context.Context, c domain.Chain, felt starknet.Felt, upTo uint64) (hits []Hit, err error) {
	found, known, err := s.store.SearchFelt(ctx, c, felt, upTo)
	if err != nil {
		return nil, err
	}
	if err := s.throughProxies(ctx, c, []starknet.Felt{felt}, []*AddressHit{known}, upTo); err != nil {
		return nil, err
	}
	labels, err := s.labels.Of(ctx, c, []starknet.Felt{felt})
	if err != nil {
		return nil, err
	}
	id := felt.String()
	if found.Transaction {
		hits = append(hits, Hit{Kind: Transaction, ID: id, Matched: ByHash})
	}
	if found.Block != nil {
		hits = append(hits, Hit{Kind: Block, ID: chain.NumberID(*found.Block).String(), Matched: ByHash})
	}
	if found.Class {
		hits = append(hits, Hit{Kind: Class, ID: id, Matched: ByHash})
	}
	if called := labels[0]; called != nil {
		hits = append(hits, Hit{Kind: known.kind(), ID: id, Label: &called.Text, Matched: ByAddress})
	} else if known != nil {
		hits = append(hits, Hit{Kind: known.kind(), ID: id, Label: label(known.Symbol, known.Name), Matched: ByAddress})
	}
	return hits, nil
}

// byText finds addresses by label and tokens by symbol or name.
func (s *Search) byText(ctx context.Context, c domain.Chain, text string, upTo uint64) ([]Hit, error) {
	bySymbol, byName, err := s.store.SearchTokens(ctx, c, text, upTo, each)
	if err != nil {
		return nil, err
	}
	labelled, err := s.byLabel(ctx, c, text, upTo)
	if err != nil {
		return nil, err
	}
	var hits []Hit
	known := make(map[string]bool)
	for _, list := range [][]Hit{tokenHits(bySymbol, BySymbol), labelled, tokenHits(byName, ByName)} {
		for _, hit := range list {
			if !known[hit.ID] {
				known[hit.ID] = true
				hits = append(hits, hit)
			}
		}
	}
	return hits, nil
}

// byLabel finds addresses by the labels of the registry and the operator.
func (s *Search) byLabel(ctx context.Context, c domain.Chain, text string, upTo uint64) ([]Hit, error) {
	found, err := s.labels.Search(ctx, c, text, each)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	addresses := make([]starknet.Felt, len(found))
	for i := range found {
		addresses[i] = found[i].Address
	}
	known, err := s.store.SearchAddresses(ctx, c, addresses, upTo)
	if err != nil {
		return nil, err
	}
	if err := s.throughProxies(ctx, c, addresses, known, upTo); err != nil {
		return nil, err
	}
	hits := make([]Hit, len(found))
	for i := range found {
		hits[i] = Hit{Kind: known[i].kind(), ID: found[i].Address.String(), Label: &found[i].Label.Text, Matched: ByLabel}
	}
	return hits, nil
}

// throughProxies sets Account of proxies by what they execute after a block.
func (s *Search) throughProxies(ctx context.Context, c domain.Chain, addresses []starknet.Felt, known []*AddressHit, block uint64) error {
	classes := map[starknet.Felt]starknet.Felt{}
	for i, hit := range known {
		if hit != nil && hit.ProxyClass != nil {
			classes[addresses[i]] = *hit.ProxyClass
		}
	}
	accounts, err := s.implementations.Accounts(ctx, c, block, classes)
	for i, hit := range known {
		if account := accounts[addresses[i]]; account != nil {
			hit.Account = *account
		}
	}
	return err
}

func (a *AddressHit) kind() Kind {
	switch {
	case a == nil:
		return Address
	case a.Token:
		return Token
	case a.Account:
		return Account
	case a.Contract:
		return Contract
	}
	return Address
}

func tokenHits(tokens []TokenHit, matched Match) []Hit {
	hits := make([]Hit, len(tokens))
	for i, token := range tokens {
		hits[i] = Hit{Kind: Token, ID: token.Address.String(), Label: label(token.Symbol, token.Name), Matched: matched}
	}
	return hits
}

// label is the self-declared symbol or name of a token.
func label(symbol, name *string) *string {
	if symbol == nil {
		return name
	}
	if name == nil || *name == *symbol {
		return symbol
	}
	return new(*symbol + " (" + *name + ")")
}
