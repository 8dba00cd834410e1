package graph

import (
	"context"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/address"
	"astrolabe/starknet"
)

// AddressTransaction is a transaction that an address has part in.
type AddressTransaction struct {
	part
	among[*AddressTransaction]
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
func (t *AddressTransaction) Kinds() []Word {
	return convert(t.tx.Kinds, func(k address.Kind) Word { return Word(k) })
}

// TxType returns the transaction's type.
func (t *AddressTransaction) TxType() Word { return Word(t.tx.Type) }

// ExecutionStatus tells whether the calls took effect.
func (t *AddressTransaction) ExecutionStatus() Word { return Word(t.tx.Execution) }

// FinalityStatus returns what the network says of the block.
func (t *AddressTransaction) FinalityStatus() Word { return Word(t.tx.Finality) }

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
	return toOne(ctx, t.peers, t, "AddressTransaction.transaction", present((*AddressTransaction).TxHash), t.transactionsByHash)
}

// AddressTransactionConnection is a page of the transactions of an address.
type AddressTransactionConnection = Connection[*AddressTransaction]

// AddressTransactionEdge is a transaction of an address in a list.
type AddressTransactionEdge = Edge[*AddressTransaction]

// transactionsOfAddresses reads a page of each address' transactions.
func (p part) transactionsOfAddresses(ctx context.Context, owners []*Address, request domain.PageRequest) ([]slice[*AddressTransaction], error) {
	coverage, err := p.h.Addresses.Coverage(ctx, p.chain, felts(owners))
	if err != nil {
		return nil, err
	}
	pages, err := p.h.Addresses.Transactions(ctx, p.chain, felts(owners), request)
	if err != nil {
		return nil, err
	}
	return covered(slicesOf(pages, address.Transaction.Position, func(_ int, tx address.Transaction) *AddressTransaction {
		return &AddressTransaction{part: p, tx: &tx}
	}), coverage...), nil
}
