package privacy

import (
	"fmt"

	"astrolabe/domain/facts"
)

// event adds an event.
func (f *fold) event(e *LedgerEvent) error {
	if e.Reading == facts.PoolUnread {
		return fmt.Errorf("event %d of transaction %d of block %d is unread", e.At.Log, e.At.Tx, e.At.Block)
	}
	l := &f.changes.Ledger
	if l.FirstBlock == nil {
		l.FirstBlock, l.FirstTimestamp = &e.At.Block, &e.Timestamp
	}
	if l.Event == nil || l.Event.Block != e.At.Block || l.Event.Tx != e.At.Tx {
		l.Transactions++
	}
	l.Event = &e.At
	f.pools[e.Pool] = true
	f.changes.Counts[CountKey{e.Pool, e.Variant}]++
	wallet := f.wallet(e)
	for _, width := range bucketWidths {
		key := BucketKey{width, width.Start(e.Timestamp)}
		bucket := f.changes.Buckets[key]
		bucket.add(e.Variant, wallet)
		bucket.WalletsSum, bucket.Block = l.Wallets, e.At.Block
		f.changes.Buckets[key] = bucket
	}
	if e.Variant.Flows() {
		if err := f.flow(e); err != nil {
			return err
		}
	}
	for _, fee := range f.fees[e.At] {
		if err := f.fee(e, fee); err != nil {
			return err
		}
	}
	return nil
}

// wallet reports whether an event is the first viewing key of a wallet.
func (f *fold) wallet(e *LedgerEvent) bool {
	if e.Variant != facts.ViewingKeySet || e.Reading != facts.PoolRead || e.Party == nil {
		return false
	}
	if _, new := f.changes.Wallets[*e.Party]; new || f.known[*e.Party] {
		return false
	}
	f.changes.Wallets[*e.Party] = e.At.Block
	f.changes.Ledger.Wallets++
	return true
}

// add counts an event.
func (b *LedgerBucket) add(variant facts.PoolVariant, wallet bool) {
	switch variant {
	case facts.PoolDeposit, facts.OpenNoteDeposited:
		b.Deposits++
	case facts.PoolWithdrawal:
		b.Withdrawals++
	case facts.NoteUsed:
		b.NotesUsed++
	}
	if wallet {
		b.Wallets++
	}
}
