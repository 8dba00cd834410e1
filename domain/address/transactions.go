package address

import (
	"context"
	"math"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/starknet"
)

// Transaction is a transaction that an address has part in.
type Transaction struct {
	chain.TxPlace
	Timestamp time.Time
	Hash      starknet.Felt
	Kinds     []Kind // what it meant for the address
	Type      starknet.TransactionType
	Execution starknet.ExecutionStatus
	Finality  chain.FinalityStatus
	From      *starknet.Felt // the account that sent it
	To        *starknet.Felt // the contract that it calls or deploys by itself; nil for an account's calls
	Method    *string        // the name of the entry point that is called first
	Calls     *int           // of an account; nil when there is none, or when it has a form of its own
	Transfers int            // of the whole transaction
}

// Transactions returns a page of the transactions of each address, the newest
// first: those that gave it any activity.
func (a *Addresses) Transactions(ctx context.Context, c domain.Chain, owners []starknet.Felt, page domain.PageRequest) ([]domain.Page[Transaction], error) {
	below := newest.TxPlace
	if page.After != nil {
		if err := checkPosition(page.After, math.MaxInt32, math.MaxInt16); err != nil {
			return nil, err
		}
		below = chain.TxPlace{Block: page.After[0], Tx: int(page.After[1])} //nolint:gosec // It was checked.
	}
	horizon, err := a.statuses.Horizon(ctx, c)
	if err != nil {
		return nil, err
	}
	return spread(owners, func(owners []starknet.Felt) ([]domain.Page[Transaction], error) {
		found, err := a.store.TransactionsOf(ctx, c, owners, below, page.Limit+1)
		if err != nil {
			return nil, err
		}
		pages := make([]domain.Page[Transaction], len(owners))
		for i := range found {
			list := make([]Transaction, len(found[i]))
			for j := range found[i] {
				list[j] = found[i][j].transaction(horizon)
			}
			pages[i] = domain.CutPage(list, page.Limit, Transaction.Position)
		}
		return pages, nil
	})
}

// Position is the place of a transaction in the list of an address.
func (t Transaction) Position() domain.Position {
	return domain.Position{t.Block, uint64(t.Tx)} //nolint:gosec // An index is not negative.
}

func (v *Involvement) transaction(horizon chain.Horizon) Transaction {
	t := Transaction{
		TxPlace: v.TxPlace, Timestamp: v.Timestamp, Hash: v.Transaction.Hash, Kinds: KindsOf(v.Kinds),
		Type: v.Transaction.Type, Execution: chain.Execution(v.Transaction.Reverted), Finality: horizon.Finality(v.Block),
		From: v.Transaction.Sender, To: v.Transaction.Contract, Transfers: v.TransferCount,
	}
	t.Method, t.Calls = v.method()
	return t
}
