package privacy

import (
	"maps"

	"astrolabe/starknet"
)

// Merge adds the changes of the next step. The changes of all steps from an empty
// ledger on, merged, are its rows.
func (c *LedgerChanges) Merge(next *LedgerChanges) (err error) {
	c.Ledger = next.Ledger
	for key, n := range next.Counts {
		c.Counts[key] += n
	}
	maps.Copy(c.Wallets, next.Wallets)
	maps.Copy(c.Assets, next.Assets)
	c.Points = append(c.Points, next.Points...)
	for key, part := range next.Buckets {
		old := c.Buckets[key]
		part.Wallets, part.Deposits = old.Wallets+part.Wallets, old.Deposits+part.Deposits
		part.Withdrawals, part.NotesUsed = old.Withdrawals+part.Withdrawals, old.NotesUsed+part.NotesUsed
		c.Buckets[key] = part
	}
	for key, part := range next.Flows {
		old := c.Flows[key]
		if part.Deposited, err = old.Deposited.Add(part.Deposited); err != nil {
			return err
		}
		if part.Withdrawn, err = old.Withdrawn.Add(part.Withdrawn); err != nil {
			return err
		}
		c.Flows[key] = part
	}
	for key, part := range next.Fees {
		old := c.Fees[key]
		if part.Amount, err = old.Amount.Add(part.Amount); err != nil {
			return err
		}
		part.Transfers += old.Transfers
		c.Fees[key] = part
	}
	return nil
}

// State returns the state after changes that were merged from an empty ledger
// on, given the newest settings of each pool's fee.
func (c *LedgerChanges) State(settings []FeeSetting) LedgerState {
	s := LedgerState{
		Ledger: c.Ledger, Pools: map[starknet.Felt]bool{}, Assets: maps.Clone(c.Assets), Wallets: map[starknet.Felt]bool{}, Settings: settings,
	}
	for key := range c.Counts {
		s.Pools[key.Pool] = true
	}
	for wallet := range c.Wallets {
		s.Wallets[wallet] = true
	}
	return s
}

// NewLedgerChanges returns no changes of an empty ledger.
func NewLedgerChanges() *LedgerChanges {
	return &LedgerChanges{
		Counts: map[CountKey]uint64{}, Buckets: map[BucketKey]LedgerBucket{},
		Flows: map[TokenBucketKey]LedgerBucketFlow{}, Fees: map[TokenBucketKey]LedgerBucketFee{},
		Assets: map[AssetKey]LedgerAsset{}, Wallets: map[starknet.Felt]uint64{},
	}
}
