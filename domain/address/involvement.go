package address

import (
	"time"

	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/starknet"
)

// Involvement is a transaction that an address has part in, as it is stored.
type Involvement struct {
	chain.TxPlace
	Kinds     facts.Kinds
	Timestamp time.Time
	// Transaction lacks the fields that no list of an address needs, such as
	// nonce and fee. It has the calldata of account transactions.
	Transaction facts.Transaction

	// Fields of activity only: the deployer, if this transaction deployed the
	// address, and the transfers of the address, the last one first.
	Deployer  *starknet.Felt
	Transfers []facts.Transfer

	// Fields of the transaction list only: the name of the first entry point,
	// and the number of all transfers.
	Method        string
	TransferCount int
}

// called returns the first contract that the transaction calls or deploys.
func (v *Involvement) called() *starknet.Felt {
	if v.Transaction.Contract != nil {
		return v.Transaction.Contract
	}
	if calls, ok := facts.Calls(&v.Transaction); ok && len(calls) > 0 {
		return &calls[0].To
	}
	return nil
}

// method returns the number of account calls, nil for other transactions and
// unknown calldata layouts, and the name of the first entry point, nil if
// unknown. A name that does not hash to the selector was truncated in the
// store.
func (v *Involvement) method() (name *string, count *int) {
	selector := v.Transaction.Selector
	if calls, ok := facts.Calls(&v.Transaction); ok {
		count = new(len(calls))
		if len(calls) > 0 {
			selector = &calls[0].Selector
		}
	}
	if selector != nil && v.Method != "" && starknet.Selector(v.Method) == *selector {
		name = &v.Method
	}
	return name, count
}
