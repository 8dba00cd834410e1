package privacy

import (
	"context"
	"fmt"

	"github.com/uptrace/bun"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/domain/privacy"
	"astrolabe/domain/token"
	"astrolabe/repo"
	"astrolabe/repo/model"
	"astrolabe/starknet"
)

// Prepared reads the flow ledger and what is prepared with it.
type Prepared struct{ db *repo.DB }

var _ privacy.PreparedStore = Prepared{}

// NewPrepared returns the repository of prepared reads.
func NewPrepared(db *repo.DB) Prepared { return Prepared{db} }

// viewRow is the row of ledgerView.
type viewRow struct {
	model.PrivacyLedger
	Pools     int64              `bun:"pools"`
	Active    int64              `bun:"active"`
	Whole     bool               `bun:"whole"`
	Current   bool               `bun:"current"`
	Next      *model.BlockNumber `bun:"next"`
	Finalized *model.BlockNumber `bun:"finalized"`
	L1Block   *int64             `bun:"l1_block"`
	L1Hash    *starknet.Felt     `bun:"l1_hash"`
}

// ledgerView reads the ledger of a chain and what its status depends on, all by
// primary keys and from tables with a few rows. A block that L1 has accepted is
// evidence unless the index holds another one with its number.
var ledgerView = fmt.Sprintf(`/* privacy.ledger */
	SELECT l.chain, l.block, l.hash, l.timestamp, l.target, l.checked_at, l.materialized_at, l.first_block, l.first_timestamp, l.hour,
		l.flow_block, l.flow_tx, l.flow_log, l.event_block, l.event_tx, l.event_log, l.transactions, l.wallets, l.missing, l.fees,
		(SELECT count(*) FROM privacy_pools WHERE chain = %%[1]d) AS pools,
		(SELECT count(DISTINCT pool) FROM privacy_counts WHERE chain = %%[1]d) AS active,
		coalesce(c.first_block = 0, false) OR NOT EXISTS (
			SELECT FROM privacy_pools p WHERE p.chain = %%[1]d AND NOT EXISTS (
				SELECT FROM contract_classes WHERE chain = %%[1]d AND address = p.address AND origin = 1)) AS whole,
		EXISTS (SELECT FROM deriver_versions WHERE chain = %%[1]d AND fact = 'privacy_events' AND version = %d) AS current,
		(SELECT block FROM privacy_events WHERE chain = %%[1]d AND block > l.block ORDER BY block LIMIT 1) AS next,
		least(c.finalized_block, (SELECT min(from_block) - 1 FROM index_ranges WHERE chain = %%[1]d AND state <> 'ready')) AS finalized,
		h.l1_block_number AS l1_block, h.l1_block_hash AS l1_hash
	FROM privacy_ledgers l
	LEFT JOIN index_checkpoints c ON c.chain = %%[1]d
	LEFT JOIN chain_heads h ON h.chain = CASE %%[1]d WHEN 1 THEN 'SN_MAIN' ELSE 'SN_SEPOLIA' END AND h.l1_block_hash IS NOT NULL
		AND NOT EXISTS (SELECT FROM blocks WHERE chain = %%[1]d AND block = h.l1_block_number AND hash <> h.l1_block_hash)
	WHERE l.chain = %%[1]d`, facts.Versions[string(facts.TablePrivacyEvents)])

// view reads the ledger of a chain.
func (r Prepared) view(ctx context.Context, on bun.IDB, c domain.Chain) (privacy.LedgerView, error) {
	rows, err := repo.Select[viewRow](ctx, on, repo.Text(ledgerView, model.Code(c)))
	if err != nil || len(rows) == 0 {
		return privacy.LedgerView{}, err
	}
	return rows[0].view(), nil
}

func (r *viewRow) view() privacy.LedgerView {
	v := privacy.LedgerView{
		Ledger: ledgerFrom(&r.PrivacyLedger), Target: r.Target.Uint64(), CheckedAt: r.CheckedAt, MaterializedAt: r.MaterializedAt,
		Pools: uint64(r.Pools), Active: uint64(r.Active), Whole: r.Whole, Current: r.Current, Next: r.Next.Uint64(), Finalized: r.Finalized.Uint64(),
	}
	if r.L1Block != nil && r.L1Hash != nil {
		v.L1 = &domain.BlockRef{Number: uint64(*r.L1Block), Hash: *r.L1Hash}
	}
	return v
}

// flowRow is what flowed of a token, with its metadata.
type flowRow struct {
	Hour        int64            `bun:"hour"`
	Token       starknet.Felt    `bun:"token"`
	Name        *string          `bun:"name"`
	Symbol      *string          `bun:"symbol"`
	Decimals    *model.Decimals  `bun:"decimals"`
	Deposited   starknet.Uint256 `bun:"deposited"`
	Withdrawn   starknet.Uint256 `bun:"withdrawn"`
	Deposits    int64            `bun:"deposits"`
	Withdrawals int64            `bun:"withdrawals"`
	Missing     int64            `bun:"missing"`
	Pools       int64            `bun:"pools"`
}

func (r *flowRow) asset() privacy.Asset {
	return privacy.Asset{
		Token: r.Token, Metadata: token.Metadata{Name: r.Name, Symbol: r.Symbol, Decimals: (*uint8)(r.Decimals)}, Pools: uint64(r.Pools),
		LedgerFlow: privacy.LedgerFlow{
			Deposited: r.Deposited, Withdrawn: r.Withdrawn,
			Deposits: uint64(r.Deposits), Withdrawals: uint64(r.Withdrawals), Missing: uint64(r.Missing),
		},
	}
}

func assets(rows []flowRow) []privacy.Asset {
	list := make([]privacy.Asset, len(rows))
	for i := range rows {
		list[i] = rows[i].asset()
	}
	return list
}

// described joins the address a and the metadata t of the token of f, by primary
// keys.
const described = `
	CROSS JOIN LATERAL (SELECT felt FROM addresses WHERE chain = %[1]d AND id = f.token LIMIT 1) a
	LEFT JOIN LATERAL (SELECT name, symbol, decimals FROM tokens WHERE chain = %[1]d AND address = f.token LIMIT 1) t ON true`

// everyAsset reads the flows of all tokens, by the primary key of privacy_assets.
const everyAsset = `/* privacy.assets */
	SELECT a.felt AS token, t.name, t.symbol, t.decimals, f.deposited, f.withdrawn, f.deposits, f.withdrawals, f.missing, f.pools
	FROM (
		SELECT token, sum(deposited) AS deposited, sum(withdrawn) AS withdrawn, sum(deposits)::bigint AS deposits,
			sum(withdrawals)::bigint AS withdrawals, sum(missing)::bigint AS missing, count(*) AS pools
		FROM privacy_assets WHERE chain = %[1]d GROUP BY token
	) f` + described + `
	ORDER BY a.felt`

// Snapshot implements privacy.PreparedStore.
func (r Prepared) Snapshot(ctx context.Context, c domain.Chain) (view privacy.LedgerView, list []privacy.Asset, err error) {
	err = r.read(ctx, c, &view, func(ctx context.Context, tx bun.Tx) error {
		rows, err := repo.Select[flowRow](ctx, tx, repo.Text(everyAsset, model.Code(c)))
		list = assets(rows)
		return err
	})
	return view, list, err
}

// read reads the ledger of a chain, and more at the same moment if the ledger is
// not empty.
func (r Prepared) read(ctx context.Context, c domain.Chain, view *privacy.LedgerView, more func(context.Context, bun.Tx) error) error {
	err := r.db.Read().RunInTx(ctx, repo.Snapshot, func(ctx context.Context, tx bun.Tx) (err error) {
		if *view, err = r.view(ctx, tx, c); err != nil || view.Through == nil {
			return err
		}
		return more(ctx, tx)
	})
	return repo.Failure(ctx, err)
}
