package graph

import (
	"context"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/token"
	"astrolabe/starknet"
)

// Transfer is one movement of a token.
type Transfer struct {
	part
	among[*Transfer]
	facts *token.Transfer
}

// BlockNumber returns the number of the block.
func (t *Transfer) BlockNumber() uint64 { return t.facts.Block }

// TimestampIso returns when the block was made.
func (t *Transfer) TimestampIso() time.Time { return t.facts.Time }

// TxIndex returns the index of the transaction in the block.
func (t *Transfer) TxIndex() int { return t.facts.Tx }

// LogIndex returns the index of the event in the transaction.
func (t *Transfer) LogIndex() int { return t.facts.Log }

// TransferIndex returns the index in the event.
func (t *Transfer) TransferIndex() int { return t.facts.Index }

// TxHash returns the hash of the transaction.
func (t *Transfer) TxHash() starknet.Felt { return t.facts.TxHash }

// TokenAddress returns the token.
func (t *Transfer) TokenAddress() starknet.Felt { return t.facts.Token }

// FromAddress returns who sent the token.
func (t *Transfer) FromAddress() starknet.Felt { return t.facts.From }

// ToAddress returns who received the token.
func (t *Transfer) ToAddress() starknet.Felt { return t.facts.To }

// Amount returns how much was moved.
func (t *Transfer) Amount() *domain.Amount { return amountOrNil(t.facts.Amount) }

// TokenID returns which one was moved.
func (t *Transfer) TokenID() *domain.Amount { return amountOrNil(t.facts.TokenID) }

// Standard returns the standard that the transfer follows.
func (t *Transfer) Standard() Word { return Word(t.facts.Standard) }

// TokenSymbol returns what the token calls itself in short.
func (t *Transfer) TokenSymbol() *string { return t.facts.Metadata.Symbol }

// TokenName returns what the token calls itself.
func (t *Transfer) TokenName() *string { return t.facts.Metadata.Name }

// TokenDecimals returns by how many digits amounts are divided for people.
func (t *Transfer) TokenDecimals() *int { return intOrNil(t.facts.Metadata.Decimals) }

// SourceTier tells whether the transfer can still be undone.
func (t *Transfer) SourceTier() Word { return Word(t.facts.Tier) }

// Token returns the token.
func (t *Transfer) Token(ctx context.Context) (*Token, error) {
	return toOne(ctx, t.peers, t, "Transfer.token", present((*Transfer).TokenAddress), t.tokens)
}

// From returns who sent the token.
func (t *Transfer) From(ctx context.Context) (*Address, error) {
	return toOne(ctx, t.peers, t, "Transfer.from", present((*Transfer).FromAddress), t.addresses)
}

// To returns who received the token.
func (t *Transfer) To(ctx context.Context) (*Address, error) {
	return toOne(ctx, t.peers, t, "Transfer.to", present((*Transfer).ToAddress), t.addresses)
}

// Transaction returns the transaction.
func (t *Transfer) Transaction(ctx context.Context) (*Transaction, error) {
	return toOne(ctx, t.peers, t, "Transfer.transaction", present((*Transfer).TxHash), t.transactionsByHash)
}

// Block returns the block.
func (t *Transfer) Block(ctx context.Context) (*Block, error) {
	return toOne(ctx, t.peers, t, "Transfer.block", present((*Transfer).BlockNumber), t.blocksByNumber)
}

// TransferConnection is a page of transfers.
type TransferConnection = Connection[*Transfer]

// TransferEdge is a transfer in a list.
type TransferEdge = Edge[*Transfer]

// transferSlices makes the pages of several parents.
func (p part) transferSlices(pages []domain.Page[token.Transfer]) []slice[*Transfer] {
	return slicesOf(pages, token.Transfer.Position, func(_ int, t token.Transfer) *Transfer { return &Transfer{part: p, facts: &t} })
}

// transfersOfTransactions reads a page of what each transaction moved. It is
// found by its place: what stands there by now must be of the transaction.
func (p part) transfersOfTransactions(ctx context.Context, txs []*Transaction, request domain.PageRequest) ([]slice[*Transfer], error) {
	pages, err := p.h.Transfers.OfTransactions(ctx, p.chain, places(txs), request)
	if err != nil {
		return nil, err
	}
	for i, page := range pages {
		if len(page.Items) > 0 && page.Items[0].TxHash != txs[i].line.Hash {
			return nil, chain.Replaced()
		}
	}
	return p.transferSlices(pages), nil
}

// transfersOfTokens reads a page of each token's transfers.
func (p part) transfersOfTokens(parties []starknet.Felt) func(context.Context, []*Token, domain.PageRequest) ([]slice[*Transfer], error) {
	return func(ctx context.Context, tokens []*Token, request domain.PageRequest) ([]slice[*Transfer], error) {
		pages, err := p.h.Transfers.OfTokens(ctx, p.chain, convert(tokens, (*Token).TokenAddress), parties, request)
		if err != nil {
			return nil, err
		}
		return p.coveredTransfers(ctx, pages, nil, nil)
	}
}

// transfersOfAddresses reads a page of each address' transfers.
func (p part) transfersOfAddresses(filter token.AddressFilter) func(context.Context, []*Address, domain.PageRequest) ([]slice[*Transfer], error) {
	return func(ctx context.Context, owners []*Address, request domain.PageRequest) ([]slice[*Transfer], error) {
		pages, err := p.h.Transfers.OfAddresses(ctx, p.chain, felts(owners), filter, request)
		if err != nil {
			return nil, err
		}
		return p.coveredTransfers(ctx, pages, filter.From, filter.To)
	}
}

// coveredTransfers makes pages of lists of a range of blocks.
func (p part) coveredTransfers(ctx context.Context, pages []domain.Page[token.Transfer], from, to *uint64) ([]slice[*Transfer], error) {
	coverage, err := p.h.Transfers.Coverage(ctx, p.chain, from, to)
	if err != nil {
		return nil, err
	}
	return covered(p.transferSlices(pages), coverage), nil
}

// TransferFilter narrows the list of an address' transfers.
type TransferFilter struct {
	Direction          Word
	Tokens             []starknet.Felt
	FromBlock, ToBlock *uint64
}

func checkFilter(name string, values []starknet.Felt) error {
	if len(values) > token.MaxFilterValues {
		return domain.Errorf(domain.CodeInvalidRequest, "%s must have at most %d values", name, token.MaxFilterValues)
	}
	return nil
}
