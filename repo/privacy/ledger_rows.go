package privacy

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"astrolabe/domain/privacy"
	"astrolabe/repo/model"
	"astrolabe/starknet"
)

// ledgerRows are the rows of changes of a ledger.
type ledgerRows struct {
	counts      []model.PrivacyCount
	wallets     []model.PrivacyWallet
	assets      []model.PrivacyAsset
	points      []model.PrivacyPoint
	pointAssets []model.PrivacyPointAsset
	buckets     []model.PrivacyBucket
	flows       []model.PrivacyBucketFlow
	fees        []model.PrivacyBucketFee
}

// rows converts changes to rows. The ids of all addresses must have been read.
func (r ledgerReader) rows(c *privacy.LedgerChanges, at time.Time) (rows ledgerRows, err error) {
	id := func(felt starknet.Felt) model.ID {
		id, known := r.ids[felt]
		if !known && err == nil {
			err = fmt.Errorf("address %s has no id", felt)
		}
		return id
	}
	for key, n := range c.Counts {
		rows.counts = append(rows.counts, model.PrivacyCount{Chain: r.chain, Pool: id(key.Pool), Variant: model.PoolVariant(key.Variant), Events: int64(n)})
	}
	for wallet, block := range c.Wallets {
		rows.wallets = append(rows.wallets, model.PrivacyWallet{Chain: r.chain, Address: id(wallet), Block: model.BlockNumber(block)})
	}
	for key, a := range c.Assets {
		rows.assets = append(rows.assets, model.PrivacyAsset{
			Chain: r.chain, Token: id(key.Token), Pool: id(key.Pool), Deposited: a.Deposited, Withdrawn: a.Withdrawn,
			Deposits: int64(a.Deposits), Withdrawals: int64(a.Withdrawals), Missing: int64(a.Missing),
			Block: model.BlockNumber(a.Newest.Block), Tx: model.Index(a.Newest.Tx), Log: model.Index(a.Newest.Log),
		})
	}
	for i := range c.Points {
		p := &c.Points[i]
		rows.points = append(rows.points, r.point(p, at))
		for token, f := range p.Assets {
			rows.pointAssets = append(rows.pointAssets, model.PrivacyPointAsset{
				Chain: r.chain, Hour: int64(p.Hour), Token: id(token), Deposited: f.Deposited, Withdrawn: f.Withdrawn,
				Deposits: int64(f.Deposits), Withdrawals: int64(f.Withdrawals), Missing: int64(f.Missing),
			})
		}
	}
	for key, b := range c.Buckets {
		rows.buckets = append(rows.buckets, model.PrivacyBucket{
			Chain: r.chain, Width: model.Width(key.Width), Start: int64(key.Start), Wallets: int64(b.Wallets), WalletsSum: int64(b.WalletsSum),
			Deposits: int64(b.Deposits), Withdrawals: int64(b.Withdrawals), NotesUsed: int64(b.NotesUsed), Block: model.BlockNumber(b.Block),
		})
	}
	for key, b := range c.Flows {
		rows.flows = append(rows.flows, model.PrivacyBucketFlow{
			Chain: r.chain, Width: model.Width(key.Width), Token: id(key.Token), Start: int64(key.Start), Deposited: b.Deposited, Withdrawn: b.Withdrawn,
			DepositedSum: b.DepositedSum, WithdrawnSum: b.WithdrawnSum, Block: model.BlockNumber(b.Block),
		})
	}
	for key, b := range c.Fees {
		rows.fees = append(rows.fees, model.PrivacyBucketFee{
			Chain: r.chain, Width: model.Width(key.Width), Token: id(key.Token), Start: int64(key.Start),
			Amount: b.Amount, AmountSum: b.AmountSum, Transfers: int64(b.Transfers), Block: model.BlockNumber(b.Block),
		})
	}
	rows.sort()
	return rows, err
}

// sort puts buckets in the order of their start: rows that are read together are
// then on the same pages.
func (rows ledgerRows) sort() {
	slices.SortFunc(rows.buckets, func(a, b model.PrivacyBucket) int {
		return cmp.Or(cmp.Compare(a.Width, b.Width), cmp.Compare(a.Start, b.Start))
	})
	slices.SortFunc(rows.flows, func(a, b model.PrivacyBucketFlow) int {
		return cmp.Or(cmp.Compare(a.Width, b.Width), cmp.Compare(a.Start, b.Start), cmp.Compare(a.Token, b.Token))
	})
	slices.SortFunc(rows.fees, func(a, b model.PrivacyBucketFee) int {
		return cmp.Or(cmp.Compare(a.Width, b.Width), cmp.Compare(a.Start, b.Start), cmp.Compare(a.Token, b.Token))
	})
}

func (r ledgerReader) point(p *privacy.LedgerPoint, at time.Time) model.PrivacyPoint {
	row := model.PrivacyPoint{
		Chain: r.chain, Hour: int64(p.Hour), Block: model.BlockNumber(p.Block.Number), Hash: p.Block.Hash, Timestamp: int64(p.Block.Timestamp),
		MaterializedAt: at, Pools: int64(p.Pools), Tokens: int64(p.Tokens), Missing: int64(p.Missing),
	}
	row.FlowBlock, row.FlowTx, row.FlowLog = placeColumns(p.Flow)
	return row
}

// placeColumns returns the columns of a place that may be absent.
func placeColumns(p *privacy.Place) (block *model.BlockNumber, tx, log *model.Index) {
	if p == nil {
		return nil, nil, nil
	}
	return new(model.BlockNumber(p.Block)), new(model.Index(p.Tx)), new(model.Index(p.Log))
}

// ledgerModel returns the row of a ledger, without when it changed.
func ledgerModel(c model.Chain, l *privacy.Ledger) model.PrivacyLedger {
	row := model.PrivacyLedger{Chain: c, Transactions: int64(l.Transactions), Wallets: int64(l.Wallets), Missing: int64(l.Missing), Fees: l.Fees}
	if b := l.Through; b != nil {
		row.Block, row.Hash, row.Timestamp = new(model.BlockNumber(b.Number)), &b.Hash, new(int64(b.Timestamp))
	}
	if l.FirstBlock != nil {
		row.FirstBlock, row.FirstTimestamp = new(model.BlockNumber(*l.FirstBlock)), new(int64(*l.FirstTimestamp))
	}
	if l.Hour != nil {
		row.Hour = new(int64(*l.Hour))
	}
	row.FlowBlock, row.FlowTx, row.FlowLog = placeColumns(l.Flow)
	row.EventBlock, row.EventTx, row.EventLog = placeColumns(l.Event)
	return row
}

// ledgerFrom returns the ledger of a row.
func ledgerFrom(row *model.PrivacyLedger) privacy.Ledger {
	l := privacy.Ledger{
		FirstBlock: row.FirstBlock.Uint64(), Transactions: uint64(row.Transactions), Wallets: uint64(row.Wallets), Missing: uint64(row.Missing), Fees: row.Fees,
	}
	if row.Block != nil {
		l.Through = &privacy.LedgerBlock{Number: uint64(*row.Block), Hash: *row.Hash, Timestamp: uint64(*row.Timestamp)}
	}
	if row.FirstTimestamp != nil {
		l.FirstTimestamp = new(uint64(*row.FirstTimestamp))
	}
	if row.Hour != nil {
		l.Hour = new(uint64(*row.Hour))
	}
	if row.FlowBlock != nil {
		l.Flow = new(placeAt(*row.FlowBlock, *row.FlowTx, *row.FlowLog))
	}
	if row.EventBlock != nil {
		l.Event = new(placeAt(*row.EventBlock, *row.EventTx, *row.EventLog))
	}
	return l
}
