package privacy

import (
	"context"
	"slices"

	"github.com/uptrace/bun"

	"astrolabe/domain/facts"
	"astrolabe/domain/privacy"
	"astrolabe/repo/model"
	"astrolabe/starknet"
)

// settings reads the newest settings of each pool's fee up to a block, by
// privacy_events_variant. There are few, because only a pool's operator sets
// them.
func (r ledgerReader) settings(ctx context.Context, through int64) ([]privacy.FeeSetting, error) {
	events, err := r.scan(ctx, `/* privacy.fee_settings */ SELECT DISTINCT ON (e.pool, e.variant) `+stepColumns+`
		WHERE e.chain = ?0 AND e.variant IN (11, 12) AND e.block <= ?1
		ORDER BY e.pool, e.variant, e.block DESC, e.tx DESC, e.log DESC`, r.code, through)
	settings := make([]privacy.FeeSetting, len(events))
	for i := range events {
		settings[i] = events[i].FeeSetting()
	}
	return settings, err
}

// transfers reads the transfers of STRK to a collector in transactions with
// events of the step, by transfers_…_place.
func (r ledgerReader) transfers(ctx context.Context, s stepSpan, settings []privacy.FeeSetting, events []privacy.LedgerEvent) ([]privacy.FeeTransfer, error) {
	var collectors []starknet.Felt
	for i := range settings {
		if c := settings[i].Collector; c != nil && !slices.Contains(collectors, *c) {
			collectors = append(collectors, *c)
		}
	}
	for i := range events {
		if e := &events[i]; e.Variant == facts.FeeCollectorSet && e.Party != nil && !slices.Contains(collectors, *e.Party) {
			collectors = append(collectors, *e.Party)
		}
	}
	if len(collectors) == 0 {
		return nil, nil
	}
	var rows []struct {
		Block  model.BlockNumber `bun:"block"`
		Tx     model.Index       `bun:"tx"`
		Log    model.Index       `bun:"log"`
		Index  model.Index       `bun:"idx"`
		Token  model.ID          `bun:"token"`
		To     starknet.Felt     `bun:"felt"`
		Amount starknet.Uint256  `bun:"amount"`
	}
	err := r.tx.NewRaw(`/* privacy.fee_transfers */
		SELECT t.block, t.tx, t.log, t.idx, t.token, a.felt, t.amount
		FROM (SELECT DISTINCT block, tx FROM privacy_events WHERE chain = ?0 AND block > ?1 AND block <= ?2) e
		JOIN transfers t ON t.chain = ?0 AND t.block = e.block AND t.tx = e.tx
		JOIN addresses a ON a.chain = ?0 AND a.id = t.receiver
		WHERE t.standard = 1 AND t.amount IS NOT NULL AND t.token = (SELECT id FROM addresses WHERE chain = ?0 AND felt = ?3)
			AND t.block > ?1 AND t.block <= ?2
			AND t.receiver IN (SELECT id FROM addresses WHERE chain = ?0 AND felt IN (?4))`,
		r.code, s.from, s.to, privacy.STRK, bun.List(collectors)).Scan(ctx, &rows)
	transfers := make([]privacy.FeeTransfer, len(rows))
	for i, row := range rows {
		r.learn(&row.Token, &privacy.STRK)
		transfers[i] = privacy.FeeTransfer{At: placeAt(row.Block, row.Tx, row.Log), Index: int(row.Index), Token: privacy.STRK, To: row.To, Amount: row.Amount}
	}
	return transfers, err
}
