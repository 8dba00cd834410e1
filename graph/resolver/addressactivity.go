package resolver

import (
	"astrolabe/domain"
	"astrolabe/domain/address"
	"astrolabe/graph/scalar"
	"astrolabe/starknet"
	"context"
	"time"
)

// AddressActivity is one thing that happened to an address.
type AddressActivity struct {
	onChain
	membership[*AddressActivity]
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
func (a *AddressActivity) Kind() scalar.Enum { return scalar.Enum(a.item.Kind) }

// Counterparty returns the other side.
func (a *AddressActivity) Counterparty() *starknet.Felt { return a.item.Counterparty }

// TokenAddress returns the token of a transfer.
func (a *AddressActivity) TokenAddress() *starknet.Felt { return a.item.Token }

// Amount returns how much was transferred.
func (a *AddressActivity) Amount() *domain.Amount { return a.item.Amount }

// TokenID returns which token was transferred.
func (a *AddressActivity) TokenID() *domain.Amount { return a.item.TokenID }

// CounterpartyAddress returns the other side.
func (a *AddressActivity) CounterpartyAddress(context.Context) (*Address, error) {
	return toAddress(a, "AddressActivity.counterpartyAddress", optionalKey((*AddressActivity).Counterparty))
}

// Token returns the token of a transfer.
func (a *AddressActivity) Token(ctx context.Context) (*Token, error) {
	return toOne(ctx, a, "AddressActivity.token", optionalKey((*AddressActivity).TokenAddress), a.tokens())
}

// Transaction returns the transaction.
func (a *AddressActivity) Transaction(ctx context.Context) (*Transaction, error) {
	return toOne(ctx, a, "AddressActivity.transaction", requiredKey((*AddressActivity).TxHash), a.transactionsByHash())
}

// Block returns the block.
func (a *AddressActivity) Block(ctx context.Context) (*Block, error) {
	return toOne(ctx, a, "AddressActivity.block", requiredKey((*AddressActivity).BlockNumber), a.blocksByNumber())
}

// AddressActivityConnection is a page of what happened to an address.
type AddressActivityConnection = Connection[*AddressActivity]

// AddressActivityEdge is something that happened to an address, in a list.
type AddressActivityEdge = Edge[*AddressActivity]

// activityOfAddresses pages through what happened to each address.
func (on onChain) activityOfAddresses() coveredPager[starknet.Felt, address.Item, *AddressActivity] {
	return coveredPagerOf(on, func(ctx context.Context, c domain.Chain, owners []starknet.Felt, page domain.PageRequest) ([]coveredPage[address.Item], error) {
		coverage, err := on.resolver.Addresses.Coverage(ctx, c, owners)
		if err != nil {
			return nil, err
		}
		pages, err := on.resolver.Addresses.Activity(ctx, c, owners, page)
		return coverPages(pages, coverage...), err
	}, address.Item.Position, func(row address.Item) *AddressActivity { return &AddressActivity{onChain: on, item: &row} })
}

// AddressTransaction is a transaction that an address has part in.
type AddressTransaction struct {
	onChain
	membership[*AddressTransaction]
	tx *address.Transaction
}

// BlockNumber returns the number of the block.
func (t *AddressTransaction) BlockNumber() uint64 { return t.tx.Block }

// TimestampIso returns when the block was made.
func (t *AddressTransaction) TimestampIso() time.Time { return t.tx.Timestamp }

// TxIndex returns the index in the block.
func (t *AddressTransaction) TxIndex() int { return t.tx.Tx }

// TxHash returns the transaction's hash.
func (t *AddressTransaction) TxHash() starknet.Felt { return t.tx.Hash }

// Kinds returns what the transaction meant for the address.
func (t *AddressTransaction) Kinds() []scalar.Enum {
	return convert(t.tx.Kinds, func(k address.Kind) scalar.Enum { return scalar.Enum(k) })
}

// TxType returns the transaction's type.
func (t *AddressTransaction) TxType() scalar.Enum { return scalar.Enum(t.tx.Type) }

// ExecutionStatus tells whether the calls took effect.
func (t *AddressTransaction) ExecutionStatus() scalar.Enum { return scalar.Enum(t.tx.Execution) }

// FinalityStatus returns what the network says of the block.
func (t *AddressTransaction) FinalityStatus() scalar.Enum { return scalar.Enum(t.tx.Finality) }

// FromAddress returns the account that sent the transaction.
func (t *AddressTransaction) FromAddress() *starknet.Felt { return t.tx.From }

// ToAddress returns the contract that the transaction calls or deploys.
func (t *AddressTransaction) ToAddress() *starknet.Felt { return t.tx.To }

// PrimaryMethod returns the name of the entry point that is called first.
func (t *AddressTransaction) PrimaryMethod() *string { return t.tx.Method }

// CallCount returns how many calls the account was asked to make.
func (t *AddressTransaction) CallCount() *int { return t.tx.Calls }

// TransferCount returns how many transfers there are.
func (t *AddressTransaction) TransferCount() int { return t.tx.Transfers }

// Transaction returns all of the transaction.
func (t *AddressTransaction) Transaction(ctx context.Context) (*Transaction, error) {
	return toOne(ctx, t, "AddressTransaction.transaction", requiredKey((*AddressTransaction).TxHash), t.transactionsByHash())
}

// AddressTransactionConnection is a page of the transactions of an address.
type AddressTransactionConnection = Connection[*AddressTransaction]

// AddressTransactionEdge is a transaction of an address in a list.
type AddressTransactionEdge = Edge[*AddressTransaction]

// transactionsOfAddresses pages through each address' transactions.
func (on onChain) transactionsOfAddresses() coveredPager[starknet.Felt, address.Transaction, *AddressTransaction] {
	return coveredPagerOf(on, func(ctx context.Context, c domain.Chain, owners []starknet.Felt, page domain.PageRequest) ([]coveredPage[address.Transaction], error) {
		coverage, err := on.resolver.Addresses.Coverage(ctx, c, owners)
		if err != nil {
			return nil, err
		}
		pages, err := on.resolver.Addresses.Transactions(ctx, c, owners, page)
		return coverPages(pages, coverage...), err
	}, address.Transaction.Position, func(row address.Transaction) *AddressTransaction { return &AddressTransaction{onChain: on, tx: &row} })
}
