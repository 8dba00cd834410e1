package privacy

import (
	"astrolabe/domain/facts"
	"astrolabe/starknet"
)

// flow adds a flow to its token. One without an amount or a token is missing.
func (f *fold) flow(e *LedgerEvent) error {
	f.changes.Ledger.Flow = &e.At
	if e.Token == nil {
		f.changes.Ledger.Missing++
		return nil
	}
	moved := e.flow()
	f.changes.Ledger.Missing += moved.Missing
	key := AssetKey{*e.Token, e.Pool}
	asset, ok := f.changes.Assets[key]
	if !ok {
		asset = f.assets[key]
	}
	var err error
	if asset.LedgerFlow, err = asset.add(moved); err != nil {
		return err
	}
	asset.Newest = e.At
	f.changes.Assets[key] = asset
	total, err := f.tokens[*e.Token].add(moved)
	if err != nil {
		return err
	}
	f.tokens[*e.Token] = total
	for _, width := range bucketWidths {
		key := TokenBucketKey{BucketKey{width, width.Start(e.Timestamp)}, *e.Token}
		bucket := f.changes.Flows[key]
		part, err := LedgerFlow{Deposited: bucket.Deposited, Withdrawn: bucket.Withdrawn}.add(moved)
		if err != nil {
			return err
		}
		f.changes.Flows[key] = LedgerBucketFlow{
			Deposited: part.Deposited, Withdrawn: part.Withdrawn, DepositedSum: total.Deposited, WithdrawnSum: total.Withdrawn, Block: e.At.Block,
		}
	}
	return nil
}

// flow returns the sums of a single flow.
func (e *LedgerEvent) flow() (moved LedgerFlow) {
	amount := starknet.Uint256{}
	if e.Reading == facts.PoolRead && e.Amount != nil {
		amount = *e.Amount
	} else {
		moved.Missing = 1
	}
	if e.Variant == facts.PoolWithdrawal {
		moved.Withdrawn, moved.Withdrawals = amount, 1
	} else {
		moved.Deposited, moved.Deposits = amount, 1
	}
	return moved
}

// add returns the sums of both; more than 256 bits is an error.
func (l LedgerFlow) add(m LedgerFlow) (LedgerFlow, error) {
	deposited, err := l.Deposited.Add(m.Deposited)
	if err != nil {
		return l, err
	}
	withdrawn, err := l.Withdrawn.Add(m.Withdrawn)
	return LedgerFlow{deposited, withdrawn, l.Deposits + m.Deposits, l.Withdrawals + m.Withdrawals, l.Missing + m.Missing}, err
}

// fee adds a fee that belongs to an event.
func (f *fold) fee(e *LedgerEvent, fee Fee) (err error) {
	l := &f.changes.Ledger
	if l.Fees, err = l.Fees.Add(fee.Amount); err != nil {
		return err
	}
	for _, width := range bucketWidths {
		key := TokenBucketKey{BucketKey{width, width.Start(e.Timestamp)}, fee.Token}
		bucket := f.changes.Fees[key]
		if bucket.Amount, err = bucket.Amount.Add(fee.Amount); err != nil {
			return err
		}
		bucket.AmountSum, bucket.Block = l.Fees, e.At.Block
		bucket.Transfers++
		f.changes.Fees[key] = bucket
	}
	return nil
}
