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

// Transfer is a token transfer.
type Transfer struct {
	onChain
	membership[*Transfer]
	facts *token.Transfer
}

// BlockNumber returns the number of the block of the transfer.
func (t *Transfer) BlockNumber() uint64 { return t.facts.Block }

// TimestampIso returns the timestamp of the block of the transfer.
func (t *Transfer) TimestampIso() time.Time { return t.facts.Time }

// TxIndex returns the index of the transaction in its block.
func (t *Transfer) TxIndex() int { return t.facts.Tx }

// LogIndex returns the index of the event in its transaction.
func (t *Transfer) LogIndex() int { return t.facts.Log }

// TransferIndex returns the index of the transfer in its event.
func (t *Transfer) TransferIndex() int { return t.facts.Index }

// TxHash returns the hash of the transaction of the transfer.
func (t *Transfer) TxHash() starknet.Felt { return t.facts.TxHash }

// TokenAddress returns the address of the token.
func (t *Transfer) TokenAddress() starknet.Felt { return t.facts.Token }

// FromAddress returns the sender.
func (t *Transfer) FromAddress() starknet.Felt { return t.facts.From }

// ToAddress returns the recipient.
func (t *Transfer) ToAddress() starknet.Felt { return t.facts.To }

// Amount returns the amount in the smallest unit of the token.
func (t *Transfer) Amount() *domain.Amount { return amountOrNil(t.facts.Amount) }

// TokenID returns the token ID, nil for ERC-20.
func (t *Transfer) TokenID() *domain.Amount { return amountOrNil(t.facts.TokenID) }

// Standard returns the token standard of the contract or event.
func (t *Transfer) Standard() scalar.Enum { return scalar.Enum(t.facts.Standard) }

// TokenSymbol returns the self-declared symbol of the token.
func (t *Transfer) TokenSymbol() *string { return t.facts.Metadata.Symbol }

// TokenName returns the self-declared name of the token.
func (t *Transfer) TokenName() *string { return t.facts.Metadata.Name }

// TokenDecimals returns the self-declared number of decimals.
func (t *Transfer) TokenDecimals() *int { return intOrNil(t.facts.Metadata.Decimals) }

// SourceTier reports whether a reorg can still remove the transfer from the
// index.
func (t *Transfer) SourceTier() scalar.Enum { return scalar.Enum(t.facts.Tier) }

// Token returns the token.
func (t *Transfer) Token(ctx context.Context) (*Token, error) {
	return toOne(ctx, t, "Transfer.token", requiredKey((*Transfer).TokenAddress), t.tokens())
}

// From returns the sender.
func (t *Transfer) From(context.Context) (*Address, error) {
	return toAddress(t, "Transfer.from", requiredKey((*Transfer).FromAddress))
}

// To returns the recipient.
func (t *Transfer) To(context.Context) (*Address, error) {
	return toAddress(t, "Transfer.to", requiredKey((*Transfer).ToAddress))
}

// Transaction returns the transaction of the transfer.
func (t *Transfer) Transaction(ctx context.Context) (*Transaction, error) {
	return toOne(ctx, t, "Transfer.transaction", requiredKey((*Transfer).TxHash), t.transactionsByHash())
}

// Block returns the block of the transfer.
func (t *Transfer) Block(ctx context.Context) (*Block, error) {
	return toOne(ctx, t, "Transfer.block", requiredKey((*Transfer).BlockNumber), t.blocksByNumber())
}

// TransferConnection is a page of transfers.
type TransferConnection = Connection[*Transfer]

// TransferEdge is an edge of a connection with one transfer and its cursor.
type TransferEdge = Edge[*Transfer]

type transferPager[K comparable] = coveredPager[K, token.Transfer, *Transfer]

// transfersOf pages through the transfers of each parent.
func transfersOf[K comparable](on onChain, service func(context.Context, domain.Chain, []K, domain.PageRequest) ([]coveredPage[token.Transfer], error)) transferPager[K] {
	return coveredPagerOf(on, service, token.Transfer.Position, func(t token.Transfer) *Transfer { return &Transfer{onChain: on, facts: &t} })
}

// transfersOfTransactions pages through the transfers of each transaction. They
// are read by position and checked against the transaction's hash, because after a
// reorg another transaction may have that position.
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
		coverage, err := on.resolver.Transfers.CoverageOfTokens(ctx, c, tokens)
		if err != nil {
			return nil, err
		}
		return coverPages(pages, coverage...), nil
	})
}

// transfersOfAddresses pages through each address' transfers.
func (on onChain) transfersOfAddresses(filter token.AddressFilter) transferPager[starknet.Felt] {
	return transfersOf(on, func(ctx context.Context, c domain.Chain, owners []starknet.Felt, page domain.PageRequest) ([]coveredPage[token.Transfer], error) {
		pages, err := on.resolver.Transfers.OfAddresses(ctx, c, owners, filter, page)
		if err != nil {
			return nil, err
		}
		coverage, err := on.resolver.Transfers.CoverageOfAddresses(ctx, c, owners, filter)
		if err != nil {
			return nil, err
		}
		return coverPages(pages, coverage...), nil
	})
}

// TransferFilter selects transfers of an address.
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
