package privacy

import (
	"context"

	"github.com/uptrace/bun"

	"astrolabe/domain/facts"
	"astrolabe/domain/privacy"
	"astrolabe/repo/model"
	"astrolabe/starknet"
)

// state reads what Fold has to know of a stored ledger to extend it by a step.
func (r ledgerReader) state(ctx context.Context, row *model.PrivacyLedger, step privacy.LedgerStep, settings []privacy.FeeSetting) (s privacy.LedgerState, err error) {
	s = privacy.LedgerState{Ledger: ledgerFrom(row), Settings: settings}
	ends := hourEnds(&s.Ledger, step)
	if len(step.Events) == 0 && !ends {
		return s, nil
	}
	if s.Pools, err = r.pools(ctx); err != nil {
		return s, err
	}
	if s.Wallets, err = r.wallets(ctx, step.Events); err != nil {
		return s, err
	}
	s.Assets, err = r.assets(ctx, step.Events, ends)
	return s, err
}

// hourEnds reports whether the step has blocks of more than one hour, or begins a
// new one, or stops at a block that may be of a later one.
func hourEnds(l *privacy.Ledger, step privacy.LedgerStep) bool {
	if step.Until != nil {
		return true
	}
	last := step.Hours[len(step.Hours)-1].Timestamp
	return len(step.Hours) > 1 || l.Through != nil && privacy.Hour.Start(l.Through.Timestamp) != privacy.Hour.Start(last)
}

// pools reads the pools with events.
func (r ledgerReader) pools(ctx context.Context) (map[starknet.Felt]bool, error) {
	var felts []starknet.Felt
	err := r.tx.NewRaw(`/* privacy.pools_seen */
		SELECT felt FROM addresses WHERE chain = ?0 AND id IN (SELECT pool FROM privacy_counts WHERE chain = ?0)`, r.code).Scan(ctx, &felts)
	pools := make(map[starknet.Felt]bool, len(felts))
	for _, felt := range felts {
		pools[felt] = true
	}
	return pools, err
}

// wallets reads which addresses that set a viewing key had set one before, by the
// primary key.
func (r ledgerReader) wallets(ctx context.Context, events []privacy.LedgerEvent) (map[starknet.Felt]bool, error) {
	ids, known := map[model.ID]bool{}, map[starknet.Felt]bool{}
	for i := range events {
		if e := &events[i]; e.Variant == facts.ViewingKeySet && e.Party != nil {
			ids[r.ids[*e.Party]] = true
		}
	}
	if len(ids) == 0 {
		return known, nil
	}
	var found []model.ID
	err := r.tx.NewSelect().Model((*model.PrivacyWallet)(nil)).Comment("privacy.wallets").Column("address").
		Where("chain = ?", r.code).Where("address IN (?)", bun.List(idList(ids))).Scan(ctx, &found)
	for _, id := range found {
		known[r.felts[id]] = true
	}
	return known, err
}

func idList(ids map[model.ID]bool) []model.ID {
	list := make([]model.ID, 0, len(ids))
	for id := range ids {
		list = append(list, id)
	}
	return list
}

// ledgerAssetRow is an asset with its addresses.
type ledgerAssetRow struct {
	model.PrivacyAsset `bun:",extend"`

	TokenFelt starknet.Felt `bun:"token_felt"`
	PoolFelt  starknet.Felt `bun:"pool_felt"`
}

// assets reads the assets of the tokens that flow in a step, or of all tokens, by
// the primary key.
func (r ledgerReader) assets(ctx context.Context, events []privacy.LedgerEvent, all bool) (map[privacy.AssetKey]privacy.LedgerAsset, error) {
	assets, ids := map[privacy.AssetKey]privacy.LedgerAsset{}, map[model.ID]bool{}
	for i := range events {
		if e := &events[i]; e.Variant.Flows() && e.Token != nil {
			ids[r.ids[*e.Token]] = true
		}
	}
	if len(ids) == 0 && !all {
		return assets, nil
	}
	var rows []ledgerAssetRow
	query := r.tx.NewSelect().Model(&rows).Comment("privacy.assets").ColumnExpr("pa.*, t.felt AS token_felt, p.felt AS pool_felt").
		Join("JOIN addresses t ON t.chain = pa.chain AND t.id = pa.token").Join("JOIN addresses p ON p.chain = pa.chain AND p.id = pa.pool").
		Where("pa.chain = ?", r.code)
	if !all {
		query = query.Where("pa.token IN (?)", bun.List(idList(ids)))
	}
	err := query.Scan(ctx)
	for i := range rows {
		row := &rows[i]
		r.learn(&row.Token, &row.TokenFelt)
		r.learn(&row.Pool, &row.PoolFelt)
		assets[privacy.AssetKey{Token: row.TokenFelt, Pool: row.PoolFelt}] = privacy.LedgerAsset{
			LedgerFlow: privacy.LedgerFlow{
				Deposited: row.Deposited, Withdrawn: row.Withdrawn,
				Deposits: uint64(row.Deposits), Withdrawals: uint64(row.Withdrawals), Missing: uint64(row.Missing),
			},
			Newest: placeAt(row.Block, row.Tx, row.Log),
		}
	}
	return assets, err
}
