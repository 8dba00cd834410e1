package privacy

import (
	"context"

	"github.com/uptrace/bun"

	"astrolabe/domain"
	"astrolabe/domain/privacy"
	"astrolabe/repo"
	"astrolabe/repo/model"
)

// pointsOf reads the points of the hours $1 to $2, by the primary key of
// privacy_points.
const pointsOf = `/* privacy.points */
	SELECT chain, hour, block, hash, timestamp, materialized_at, flow_block, flow_tx, flow_log, pools, tokens, missing
	FROM privacy_points WHERE chain = %[1]d AND hour >= $1 AND hour <= $2 ORDER BY hour LIMIT %[2]d`

// pointAssets reads the assets of the points of the hours $1, by the primary key
// of privacy_point_assets.
const pointAssets = `/* privacy.point_assets */
	SELECT f.hour, a.felt AS token, t.name, t.symbol, t.decimals, f.deposited, f.withdrawn, f.deposits, f.withdrawals, f.missing, 0::bigint AS pools
	FROM unnest($1::bigint[]) AS h (hour)
	CROSS JOIN LATERAL (
		SELECT hour, token, deposited, withdrawn, deposits, withdrawals, missing
		FROM privacy_point_assets WHERE chain = %[1]d AND hour = h.hour
	) f` + described + `
	ORDER BY f.hour, a.felt`

// Points implements privacy.PreparedStore.
func (r Prepared) Points(ctx context.Context, c domain.Chain, from, to int64, limit int) (view privacy.LedgerView, points []privacy.Point, err error) {
	err = r.read(ctx, c, &view, func(ctx context.Context, tx bun.Tx) error {
		rows, err := repo.Select[model.PrivacyPoint](ctx, tx, repo.Text(pointsOf, model.Code(c), repo.RowsFor(limit)), from, to)
		if err != nil || len(rows) == 0 {
			return err
		}
		hours, places := make([]int64, len(rows)), make(map[int64]int, len(rows))
		points = make([]privacy.Point, len(rows))
		for i := range rows {
			hours[i], places[rows[i].Hour], points[i] = rows[i].Hour, i, pointIn(&rows[i])
		}
		flows, err := repo.Select[flowRow](ctx, tx, repo.Text(pointAssets, model.Code(c)), hours)
		for i := range flows {
			point := &points[places[flows[i].Hour]]
			point.Assets = append(point.Assets, flows[i].asset())
		}
		return err
	})
	return view, points, err
}

func pointIn(row *model.PrivacyPoint) privacy.Point {
	return privacy.Point{
		Hour:           row.Hour,
		Block:          privacy.LedgerBlock{Number: uint64(row.Block), Hash: row.Hash, Timestamp: uint64(row.Timestamp)},
		MaterializedAt: row.MaterializedAt, LatestFlow: placeIn(row.FlowBlock, row.FlowTx, row.FlowLog),
		Pools: uint64(row.Pools), Tokens: uint64(row.Tokens), Missing: uint64(row.Missing),
	}
}

// placeIn returns a place whose columns may be null.
func placeIn(block *model.BlockNumber, tx, log *model.Index) *privacy.Place {
	if block == nil || tx == nil || log == nil {
		return nil
	}
	return &privacy.Place{Block: uint64(*block), Tx: int(*tx), Log: int(*log)}
}
