package privacy

import (
	"context"

	"github.com/uptrace/bun"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/domain/privacy"
	"astrolabe/repo"
	"astrolabe/repo/model"
)

// newestAssets reads the flows of the tokens that flowed last, by
// privacy_assets_newest and the primary key of privacy_assets.
const newestAssets = `/* privacy.newest_assets */
	SELECT f.felt AS token, t.name, t.symbol, t.decimals, s.deposited, s.withdrawn, s.deposits, s.withdrawals, s.missing, s.pools
	FROM (SELECT id AS token, token AS felt, block, tx, log FROM (` + newestTokens + `) n) f
	CROSS JOIN LATERAL (
		SELECT sum(deposited) AS deposited, sum(withdrawn) AS withdrawn, sum(deposits)::bigint AS deposits,
			sum(withdrawals)::bigint AS withdrawals, sum(missing)::bigint AS missing, count(*) AS pools
		FROM privacy_assets WHERE chain = %[1]d AND token = f.token
	) s
	LEFT JOIN LATERAL (SELECT name, symbol, decimals FROM tokens WHERE chain = %[1]d AND address = f.token LIMIT 1) t ON true
	ORDER BY f.block DESC, f.tx DESC, f.log DESC`

// undescribed counts the tokens that flowed and have no symbol or no decimals,
// by primary keys.
const undescribed = `/* privacy.undescribed */
	SELECT count(*) FROM (SELECT token FROM privacy_assets WHERE chain = %[1]d GROUP BY token) f
	WHERE NOT EXISTS (
		SELECT FROM tokens WHERE chain = %[1]d AND address = f.token AND symbol IS NOT NULL AND decimals IS NOT NULL)`

// Aggregates implements privacy.PreparedStore.
func (r Prepared) Aggregates(ctx context.Context, c domain.Chain, most int) (sums privacy.Aggregates, err error) {
	err = r.read(ctx, c, &sums.LedgerView, func(ctx context.Context, tx bun.Tx) error {
		counts, err := repo.Select[countRow](ctx, tx, repo.Text(foldedCounts, model.Code(c)))
		if err != nil {
			return err
		}
		sums.Events = make(privacy.Counts, len(counts))
		for _, row := range counts {
			sums.Events[facts.PoolVariant(row.Variant)] = uint64(row.Events)
		}
		rows, err := repo.Select[flowRow](ctx, tx, repo.Text(newestAssets, model.Code(c), most+1))
		if err != nil {
			return err
		}
		if sums.Truncated = len(rows) > most; sums.Truncated {
			rows = rows[:most]
		}
		sums.Assets = assets(rows)
		unknown, err := repo.Select[int64](ctx, tx, repo.Text(undescribed, model.Code(c)))
		if err == nil {
			sums.Undescribed = uint64(unknown[0])
		}
		return err
	})
	return sums, err
}
