package resolver

import (
	"context"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/token"
	"astrolabe/graph/scalar"
	"astrolabe/starknet"
)

// Transfer is one movement of a token.
type Transfer struct {
	onChain
	membership[*Transfer]
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
func (t *Transfer) Standard() scalar.Enum { return scalar.Enum(t.facts.Standard) }

// TokenSymbol returns what the token calls itself in short.
func (t *Transfer) TokenSymbol() *string { return t.facts.Metadata.Symbol }

// TokenName returns what the token calls itself.
func (t *Transfer) TokenName() *string { return t.facts.Metadata.Name }

// TokenDecimals returns by how many digits amounts are divided for people.
func (t *Transfer) TokenDecimals() *int { return intOrNil(t.facts.Metadata.Decimals) }

// SourceTier tells whether the transfer can still be undone.
func (t *Transfer) SourceTier() scalar.Enum { return scalar.Enum(t.facts.Tier) }

// Token returns the token.
func (t *Transfer) Token(ctx context.Context) (*Token, error) {
	return toOne(ctx, t, "Transfer.token", requiredKey((*Transfer).TokenAddress), t.tokens())
}

// From returns who sent the token.
func (t *Transfer) From(context.Context) (*Address, error) {
	return toAddress(t, "Transfer.from", requiredKey((*Transfer).FromAddress))
}

// To returns who received the token.
func (t *Transfer) To(context.Context) (*Address, error) {
	return toAddress(t, "Transfer.to", requiredKey((*Transfer).ToAddress))
}

// Transaction returns the transaction.
func (t *Transfer) Transaction(ctx context.Context) (*Transaction, error) {
	return toOne(ctx, t, "Transfer.transaction", requiredKey((*Transfer).TxHash), t.transactionsByHash())
}

// Block returns the block.
func (t *Transfer) Block(ctx context.Context) (*Block, error) {
	return toOne(ctx, t, "Transfer.block", requiredKey((*Transfer).BlockNumber), t.blocksByNumber())
}

// TransferConnection is a page of transfers.
type TransferConnection = Connection[*Transfer]

// TransferEdge is a transfer in a list.
type TransferEdge = Edge[*Transfer]

type transferPager[K comparable] = coveredPager[K, token.Transfer, *Transfer]

// transfersOf pages through the transfers of each parent.
func transfersOf[K comparable](on onChain, service func(context.Context, domain.Chain, []K, domain.PageRequest) ([]coveredPage[token.Transfer], error)) transferPager[K] {
	return coveredPagerOf(on, service, token.Transfer.Position, func(t token.Transfer) *Transfer { return &Transfer{onChain: on, facts: &t} })
}

// transfersOfTransactions pages through what each transaction moved. It is found
// by its place: what stands there by now must be of the transaction.
func (on onChain) transfersOfTransactions() transferPager[txRef] {
	return transfersOf(on, func(ctx context.Context, c domain.Chain, txs []txRef, page domain.PageRequest) ([]coveredPage[token.Transfer], error) {
		pages, err := on.resolver.Transfers.OfTransactions(ctx, c, places(txs), page)
		if err != nil {
			return nil, err
		}
		for i, page := range pages {
			if len(page.Items) > 0 && page.Items[0].TxHash != txs[i].hash {
				return nil, chain.Replaced()
			}
		}
		return withoutCoverage(pages), nil
	})
}

// transfersOfTokens pages through each token's transfers.
func (on onChain) transfersOfTokens(parties []starknet.Felt) transferPager[starknet.Felt] {
	return transfersOf(on, func(ctx context.Context, c domain.Chain, tokens []starknet.Felt, page domain.PageRequest) ([]coveredPage[token.Transfer], error) {
		pages, err := on.resolver.Transfers.OfTokens(ctx, c, tokens, parties, page)
		if err != nil {
			return nil, err
		}
		coverage, err := on.resolver.Transfers.Coverage(ctx, c, nil, nil)
		return coverPages(pages, coverage), err
	})
}

// transfersOfAddresses pages through each address' transfers.
func (on onChain) transfersOfAddresses(filter token.AddressFilter) transferPager[starknet.Felt] {
	return transfersOf(on, func(ctx context.Context, c domain.Chain, owners []starknet.Felt, page domain.PageRequest) ([]coveredPage[token.Transfer], error) {
		pages, err := on.resolver.Transfers.OfAddresses(ctx, c, owners, filter, page)
		if err != nil {
			return nil, err
		}
		coverage, err := on.resolver.Transfers.Coverage(ctx, c, filter.From, filter.To)
		return coverPages(pages, coverage), err
	})
}

// TransferFilter narrows the list of an address' transfers.
type TransferFilter struct {
	Direction          scalar.Enum
	Tokens             []starknet.Felt
	FromBlock, ToBlock *uint64
}

func checkFilter(name string, values []starknet.Felt) error {
	if len(values) > token.MaxFilterValues {
		return domain.Errorf(domain.CodeInvalidRequest, "%s must have at most %d values, got %d.", name, token.MaxFilterValues, len(values))
	}
	return nil
}
