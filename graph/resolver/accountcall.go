package resolver

import (
	"context"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/graph/cohort"
	"astrolabe/starknet"
)

// AccountCall is a call of an account transaction.
type AccountCall struct {
	onChain
	membership[*AccountCall]
	call   *chain.AccountCall
	fields []*DecodedField
}

// To returns the address of the called contract.
func (c *AccountCall) To() starknet.Felt { return c.call.To }

// Selector returns the selector of the entry point.
func (c *AccountCall) Selector() starknet.Felt { return c.call.Selector }

// SelectorName returns the name of the entry point.
func (c *AccountCall) SelectorName() *string { return textOrNil(c.call.Name) }

// CalldataLen returns the number of felts in the calldata.
func (c *AccountCall) CalldataLen() int { return len(c.call.Calldata) }

// Calldata returns the calldata.
func (c *AccountCall) Calldata() []starknet.Felt { return c.call.Calldata }

// DecodedCalldata returns the inputs decoded with the ABI of the class at that
// block.
func (c *AccountCall) DecodedCalldata() []*DecodedField { return c.fields }

// Contract returns the called contract.
func (c *AccountCall) Contract(ctx context.Context) (*Contract, error) {
	return toOne(ctx, c, "AccountCall.contract", requiredKey((*AccountCall).To), c.contracts())
}

// AccountCalls returns the calls of an account transaction, in order.
func (t *Transaction) AccountCalls(ctx context.Context) ([]*AccountCall, error) {
	return toOne(ctx, t, "Transaction.accountCalls", requiredKey((*Transaction).TxHash), t.accountCalls())
}

// AccountCallCount returns the number of account calls.
func (t *Transaction) AccountCallCount(ctx context.Context) (*int, error) {
	calls, err := t.AccountCalls(ctx)
	if err != nil || calls == nil {
		return nil, err
	}
	return new(len(calls)), nil
}

// accountCalls looks up the calls of transactions; nil where they are unknown.
// They are decoded from the facts of the transactions, which are loaded first.
func (t *Transaction) accountCalls() lookup[starknet.Felt, []chain.AccountCall, []*AccountCall] {
	return lookup[starknet.Felt, []chain.AccountCall, []*AccountCall]{
		factOf(t.onChain, "calls of a transaction", func(ctx context.Context, c domain.Chain, hashes []starknet.Felt) ([][]chain.AccountCall, error) {
			known := loadFacts(ctx, t, (*Transaction).TxHash, t.transactionsByHash().Fact)
			txs := make([]*chain.TxFacts, len(hashes))
			for i, hash := range hashes {
				facts, err := transactionFacts(known, hash)
				if err != nil {
					return nil, err
				}
				txs[i] = facts.TxFacts
			}
			return t.resolver.Transactions.Calls(ctx, c, txs)
		}),
		t.newCalls,
	}
}

// newCalls makes one cohort of all calls, and one of their fields.
func (on onChain) newCalls(b *cohort.Batch[starknet.Felt, []chain.AccountCall]) [][]*AccountCall {
	var (
		all    []*AccountCall
		fields []*DecodedField
	)
	lists := make([][]*AccountCall, len(b.Values))
	for i, calls := range b.Values {
		if calls == nil {
			continue
		}
		lists[i] = make([]*AccountCall, len(calls))
		for j := range calls {
			call := &AccountCall{onChain: on, call: &calls[j], fields: on.newFields(calls[j].Inputs)}
			lists[i][j], all, fields = call, append(all, call), append(fields, call.fields...)
		}
	}
	joinCohort(b.Cache, all)
	joinCohort(b.Cache, fields)
	return lists
}
