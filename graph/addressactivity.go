package graph

import (
	"context"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/address"
	"astrolabe/starknet"
)

// AddressActivity is one thing that happened to an address.
type AddressActivity struct {
	part
	among[*AddressActivity]
	item *address.Item
}

// BlockNumber returns the number of the block.
func (a *AddressActivity) BlockNumber() uint64 { return a.item.Block }

// TimestampIso returns when the block was made.
func (a *AddressActivity) TimestampIso() time.Time { return a.item.Timestamp }

// TxIndex returns the index of the transaction in the block.
func (a *AddressActivity) TxIndex() int { return a.item.Tx }

// LogIndex returns the index of a transfer's event.
func (a *AddressActivity) LogIndex() *int {
	log, _ := a.item.TransferIndexes()
	return log
}

// TransferIndex returns the index of a transfer in its event.
func (a *AddressActivity) TransferIndex() *int {
	_, transfer := a.item.TransferIndexes()
	return transfer
}

// TxHash returns the hash of the transaction.
func (a *AddressActivity) TxHash() starknet.Felt { return a.item.TxHash }

// TxCursor returns the place of the transaction as one text.
func (a *AddressActivity) TxCursor() string { return a.item.Cursor() }

// Kind tells what it is.
func (a *AddressActivity) Kind() Word { return Word(a.item.Kind) }

// Counterparty returns the other side.
func (a *AddressActivity) Counterparty() *starknet.Felt { return a.item.Counterparty }

// TokenAddress returns the token of a transfer.
func (a *AddressActivity) TokenAddress() *starknet.Felt { return a.item.Token }

// Amount returns how much was transferred.
func (a *AddressActivity) Amount() *domain.Amount { return a.item.Amount }

// TokenID returns which token was transferred.
func (a *AddressActivity) TokenID() *domain.Amount { return a.item.TokenID }

// CounterpartyAddress returns the other side.
func (a *AddressActivity) CounterpartyAddress(ctx context.Context) (*Address, error) {
	return toOne(ctx, a.peers, a, "AddressActivity.counterpartyAddress", perhaps((*AddressActivity).Counterparty), a.addresses)
}

// Token returns the token of a transfer.
func (a *AddressActivity) Token(ctx context.Context) (*Token, error) {
	return toOne(ctx, a.peers, a, "AddressActivity.token", perhaps((*AddressActivity).TokenAddress), a.tokens)
}

// Transaction returns the transaction.
func (a *AddressActivity) Transaction(ctx context.Context) (*Transaction, error) {
	return toOne(ctx, a.peers, a, "AddressActivity.transaction", present((*AddressActivity).TxHash), a.transactionsByHash)
}

// Block returns the block.
func (a *AddressActivity) Block(ctx context.Context) (*Block, error) {
	return toOne(ctx, a.peers, a, "AddressActivity.block", present((*AddressActivity).BlockNumber), a.blocksByNumber)
}

// AddressActivityConnection is a page of what happened to an address.
type AddressActivityConnection = Connection[*AddressActivity]

// AddressActivityEdge is something that happened to an address, in a list.
type AddressActivityEdge = Edge[*AddressActivity]

// activityOfAddresses reads a page of what happened to each address.
func (p part) activityOfAddresses(ctx context.Context, owners []*Address, request domain.PageRequest) ([]slice[*AddressActivity], error) {
	coverage, err := p.h.Addresses.Coverage(ctx, p.chain, felts(owners))
	if err != nil {
		return nil, err
	}
	pages, err := p.h.Addresses.Activity(ctx, p.chain, felts(owners), request)
	if err != nil {
		return nil, err
	}
	return covered(slicesOf(pages, address.Item.Position, func(_ int, item address.Item) *AddressActivity {
		return &AddressActivity{part: p, item: &item}
	}), coverage...), nil
}
