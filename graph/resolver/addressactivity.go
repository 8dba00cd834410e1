package resolver

import (
	"astrolabe/domain"
	"astrolabe/domain/address"
	"astrolabe/graph/scalar"
	"astrolabe/starknet"
	"context"
	"time"
)

// AddressActivity is one activity of an address.
type AddressActivity struct {
	onChain
	membership[*AddressActivity]
	item *address.Item
}

// BlockNumber returns the number of the block of the activity.
func (a *AddressActivity) BlockNumber() uint64 { return a.item.Block }

// TimestampIso returns the timestamp of the block of the activity.
func (a *AddressActivity) TimestampIso() time.Time { return a.item.Timestamp }

// TxIndex returns the index of the transaction in its block.
func (a *AddressActivity) TxIndex() int { return a.item.Tx }

// LogIndex returns the index of the event in its transaction.
func (a *AddressActivity) LogIndex() *int {
	log, _ := a.item.TransferIndexes()
	return log
}

// TransferIndex returns the index of the transfer in its event.
func (a *AddressActivity) TransferIndex() *int {
	_, transfer := a.item.TransferIndexes()
	return transfer
}

// TxHash returns the hash of the transaction of the activity.
func (a *AddressActivity) TxHash() starknet.Felt { return a.item.TxHash }

// TxCursor returns the position of the transaction as a string: block number,
// colon, transaction index.
func (a *AddressActivity) TxCursor() string { return a.item.Cursor() }

// Kind returns the kind of activity.
func (a *AddressActivity) Kind() scalar.Enum { return scalar.Enum(a.item.Kind) }

// Counterparty returns the other address of the activity.
func (a *AddressActivity) Counterparty() *starknet.Felt { return a.item.Counterparty }

// TokenAddress returns the token of a transfer.
func (a *AddressActivity) TokenAddress() *starknet.Felt { return a.item.Token }

// Amount returns the transferred amount in the smallest unit.
func (a *AddressActivity) Amount() *domain.Amount { return a.item.Amount }

// TokenID returns the ID of the transferred token.
func (a *AddressActivity) TokenID() *domain.Amount { return a.item.TokenID }

// CounterpartyAddress returns the counterparty.
func (a *AddressActivity) CounterpartyAddress(context.Context) (*Address, error) {
	return toAddress(a, "AddressActivity.counterpartyAddress", optionalKey((*AddressActivity).Counterparty))
}

// Token returns the token of a transfer.
func (a *AddressActivity) Token(ctx context.Context) (*Token, error) {
	return toOne(ctx, a, "AddressActivity.token", optionalKey((*AddressActivity).TokenAddress), a.tokens())
}

// Transaction returns the transaction of the activity.
func (a *AddressActivity) Transaction(ctx context.Context) (*Transaction, error) {
	return toOne(ctx, a, "AddressActivity.transaction", requiredKey((*AddressActivity).TxHash), a.transactionsByHash())
}

// Block returns the block of the activity.
func (a *AddressActivity) Block(ctx context.Context) (*Block, error) {
	return toOne(ctx, a, "AddressActivity.block", requiredKey((*AddressActivity).BlockNumber), a.blocksByNumber())
}

// AddressActivityConnection is a page of the activity of an address.
type AddressActivityConnection = Connection[*AddressActivity]

// AddressActivityEdge is an edge of a connection with one activity and its cursor.
type AddressActivityEdge = Edge[*AddressActivity]

// activityOfAddresses pages through the activity of each address.
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

// AddressTransaction is a transaction that involves an address.
type AddressTransaction struct {
	onChain
	membership[*AddressTransaction]
	tx *address.Transaction
}

// BlockNumber returns the number of the block that contains the transaction.
func (t *AddressTransaction) BlockNumber() uint64 { return t.tx.Block }

// TimestampIso returns the timestamp of that block.
func (t *AddressTransaction) TimestampIso() time.Time { return t.tx.Timestamp }

// TxIndex returns the index of the transaction in its block.
func (t *AddressTransaction) TxIndex() int { return t.tx.Tx }

// TxHash returns the hash of the transaction.
func (t *AddressTransaction) TxHash() starknet.Felt { return t.tx.Hash }

// Kinds returns the kinds of activity of the address in the transaction, each
// listed once.
func (t *AddressTransaction) Kinds() []scalar.Enum {
	return convert(t.tx.Kinds, func(k address.Kind) scalar.Enum { return scalar.Enum(k) })
}

// TxType returns the transaction type.
func (t *AddressTransaction) TxType() scalar.Enum { return scalar.Enum(t.tx.Type) }

// ExecutionStatus reports whether the transaction succeeded or was reverted.
func (t *AddressTransaction) ExecutionStatus() scalar.Enum { return scalar.Enum(t.tx.Execution) }

// FinalityStatus returns the finality of the block on Starknet.
func (t *AddressTransaction) FinalityStatus() scalar.Enum { return scalar.Enum(t.tx.Finality) }

// FromAddress returns the account that sent the transaction, or that it
// deploys.
func (t *AddressTransaction) FromAddress() *starknet.Felt { return t.tx.From }

// ToAddress returns the contract that the transaction itself calls or deploys.
func (t *AddressTransaction) ToAddress() *starknet.Felt { return t.tx.To }

// PrimaryMethod returns the name of the first call's entry point.
func (t *AddressTransaction) PrimaryMethod() *string { return t.tx.Method }

// CallCount returns the number of account calls.
func (t *AddressTransaction) CallCount() *int { return t.tx.Calls }

// TransferCount returns the number of token transfers in the transaction,
// including those of other addresses.
func (t *AddressTransaction) TransferCount() int { return t.tx.Transfers }

// Transaction returns the full transaction.
func (t *AddressTransaction) Transaction(ctx context.Context) (*Transaction, error) {
	return toOne(ctx, t, "AddressTransaction.transaction", requiredKey((*AddressTransaction).TxHash), t.transactionsByHash())
}

// AddressTransactionConnection is a page of the transactions of an address.
type AddressTransactionConnection = Connection[*AddressTransaction]

// AddressTransactionEdge is an edge of a connection with one transaction and its
// cursor.
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
