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
	// Transaction is without nonce, fee and everything else that no list of
	// an address shows. Its calldata is there where an account makes calls.
	Transaction facts.Transaction

	// What only activity has: who deployed the address, where this
	// transaction did, and the address' own transfers, the last one first.
	Deployer  *starknet.Felt
	Transfers []facts.Transfer

	// What only the list of transactions has: a name that classes have for the
	// entry point that is called first, and the number of all transfers.
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

// method returns how many calls an account makes, nil when it is none or has a
// form of its own, and the name of the first entry point, nil when unknown. A
// name that does not give the selector was stored in part: it is too long.
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
