package resolver

import (
	"context"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/token"
	"astrolabe/domain/transaction"
	"astrolabe/graph/cohort"
	"astrolabe/graph/scalar"
	"astrolabe/starknet"
)

// TransactionPreview is the summary of a transaction.
type TransactionPreview struct {
	onChain
	membership[*TransactionPreview]
	TxHash                  starknet.Felt
	Found                   bool
	BlockNumber             *uint64
	TimestampIso            *time.Time
	TxIndex                 *int
	TxType                  *scalar.Enum
	ExecutionStatus         *scalar.Enum
	FinalityStatus          *scalar.Enum
	FromAddress, ToAddress  *starknet.Felt
	PrimaryMethod           *string
	CallCount               *int
	TransferCount           *int
	TokenTransfers          []*Transfer
	TokenTransfersTruncated bool
	LogCount                *int
	Coverage                *Coverage
}

// Transaction returns the full transaction.
func (t *TransactionPreview) Transaction(ctx context.Context) (*Transaction, error) {
	return toOne(ctx, t, "TransactionPreview.transaction", func(t *TransactionPreview) (starknet.Felt, bool) { return t.TxHash, t.Found }, t.transactionsByHash())
}

// newPreview makes a preview whose transfers have no cohort yet.
func (on onChain) newPreview(hash starknet.Felt, facts *transaction.Preview) *TransactionPreview {
	t := &TransactionPreview{onChain: on, TxHash: hash, Coverage: coverageOf(facts.Coverage)}
	if facts.TxOutline == nil {
		return t
	}
	t.Found, t.BlockNumber, t.TxIndex = true, &facts.Place.Block, &facts.Place.Tx
	t.TimestampIso = new(facts.Time())
	t.TxType, t.ExecutionStatus, t.FinalityStatus = enumOrNil(facts.Type), enumOrNil(chain.Execution(facts.Reverted)), enumOrNil(facts.Finality)
	t.FromAddress, t.ToAddress, t.PrimaryMethod = facts.Sender, facts.Contract, textOrNil(facts.Method)
	t.CallCount, t.TransferCount, t.LogCount = facts.Calls, &facts.Transfers, &facts.Events
	t.TokenTransfers = convert(facts.Moved, func(moved token.Transfer) *Transfer { return &Transfer{onChain: on, facts: &moved} })
	t.TokenTransfersTruncated = facts.Truncated
	return t
}

// TransactionPreviews returns summaries of several transactions, in request
// order.
func (r *Query) TransactionPreviews(ctx context.Context, id domain.Chain, hashes []starknet.Felt) ([]*TransactionPreview, error) {
	on, err := r.resolver.onChain(id)
	if err != nil {
		return nil, err
	}
	found, err := r.resolver.Details.Previews(ctx, id, hashes)
	if err != nil {
		return nil, err
	}
	previews := make([]*TransactionPreview, len(found))
	var moved []*Transfer
	for i, facts := range found {
		previews[i] = on.newPreview(hashes[i], facts)
		moved = append(moved, previews[i].TokenTransfers...)
	}
	cache := new(cohort.Cache)
	joinCohort(cache, moved)
	return joinCohort(cache, previews), nil
}
