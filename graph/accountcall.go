package graph

import (
	"context"

	"astrolabe/domain/chain"
	"astrolabe/starknet"
)

// AccountCall is one of the calls that an account was asked to make.
type AccountCall struct {
	part
	among[*AccountCall]
	call   *chain.AccountCall
	fields []*DecodedField
}

// To returns the contract that is called.
func (c *AccountCall) To() starknet.Felt { return c.call.To }

// Selector returns the entry point.
func (c *AccountCall) Selector() starknet.Felt { return c.call.Selector }

// SelectorName returns the name of the entry point.
func (c *AccountCall) SelectorName() *string { return textOrNil(c.call.Name) }

// CalldataLen returns how many felts the calldata has.
func (c *AccountCall) CalldataLen() int { return len(c.call.Calldata) }

// DecodedCalldata returns the typed calldata.
func (c *AccountCall) DecodedCalldata() []*DecodedField { return c.fields }

// Contract returns the contract that is called.
func (c *AccountCall) Contract(ctx context.Context) (*Contract, error) {
	return toOne(ctx, c.peers, c, "AccountCall.contract", present((*AccountCall).To), c.contracts)
}

// AccountCalls returns the calls of the transaction.
func (t *Transaction) AccountCalls(ctx context.Context) ([]*AccountCall, error) {
	return load(ctx, t.peers, edge{field: "Transaction.accountCalls"}, t, t.callsOfTransactions)
}

// AccountCallCount returns how many calls there are.
func (t *Transaction) AccountCallCount(ctx context.Context) (*int, error) {
	calls, err := t.AccountCalls(ctx)
	if err != nil || calls == nil {
		return nil, err
	}
	return new(len(calls)), nil
}

// callsOfTransactions reads the calls of each transaction; nil where they
// cannot be told. All calls form one cohort, and so do their fields.
func (p part) callsOfTransactions(ctx context.Context, txs []*Transaction) ([][]*AccountCall, error) {
	facts := make([]*chain.TxFacts, len(txs))
	for i, tx := range txs {
		whole, err := tx.facts(ctx)
		if err != nil {
			return nil, err
		}
		facts[i] = whole.TxFacts
	}
	found, err := p.h.Transactions.Calls(ctx, p.chain, facts)
	if err != nil {
		return nil, err
	}
	var (
		all    []*AccountCall
		fields []*DecodedField
	)
	lists := make([][]*AccountCall, len(txs))
	for i, calls := range found {
		if calls == nil {
			continue
		}
		lists[i] = make([]*AccountCall, len(calls))
		for j := range calls {
			call := &AccountCall{part: p, call: &calls[j], fields: p.newFields(calls[j].Inputs)}
			lists[i][j], all, fields = call, append(all, call), append(fields, call.fields...)
		}
	}
	together(all)
	together(fields)
	return lists, nil
}
