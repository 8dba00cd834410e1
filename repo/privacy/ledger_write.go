package privacy

import (
	"context"
	"slices"

	"github.com/uptrace/bun"

	"astrolabe/repo/model"
)

// perStatement is how many rows one statement writes.
const perStatement = 5000

// write adds the rows of a step to the tables. Counts and buckets are added to
// what is there, assets replace it, and the others are new.
func (rows ledgerRows) write(ctx context.Context, tx bun.IDB) error {
	for _, write := range []func(context.Context, bun.IDB) error{
		rows.writeCounts, rows.writeWallets, rows.writeAssets, rows.writePoints, rows.writePointAssets,
		rows.writeBuckets, rows.writeFlows, rows.writeFees,
	} {
		if err := write(ctx, tx); err != nil {
			return err
		}
	}
	return nil
}

func (rows ledgerRows) writeCounts(ctx context.Context, tx bun.IDB) error {
	return insertChunks(ctx, rows.counts, func(chunk *[]model.PrivacyCount) *bun.InsertQuery {
		return tx.NewInsert().Model(chunk).Comment("privacy.add_counts").On("CONFLICT (chain, pool, variant) DO UPDATE").
			Set("events = pc.events + EXCLUDED.events")
	})
}

func (rows ledgerRows) writeWallets(ctx context.Context, tx bun.IDB) error {
	return insertChunks(ctx, rows.wallets, func(chunk *[]model.PrivacyWallet) *bun.InsertQuery {
		return tx.NewInsert().Model(chunk).Comment("privacy.add_wallets")
	})
}

func (rows ledgerRows) writeAssets(ctx context.Context, tx bun.IDB) error {
	return insertChunks(ctx, rows.assets, func(chunk *[]model.PrivacyAsset) *bun.InsertQuery {
		return tx.NewInsert().Model(chunk).Comment("privacy.put_assets").On("CONFLICT (chain, token, pool) DO UPDATE").
			Set(`deposited = EXCLUDED.deposited, withdrawn = EXCLUDED.withdrawn, deposits = EXCLUDED.deposits, withdrawals = EXCLUDED.withdrawals,
				missing = EXCLUDED.missing, block = EXCLUDED.block, tx = EXCLUDED.tx, log = EXCLUDED.log`)
	})
}

func (rows ledgerRows) writePoints(ctx context.Context, tx bun.IDB) error {
	return insertChunks(ctx, rows.points, func(chunk *[]model.PrivacyPoint) *bun.InsertQuery {
		return tx.NewInsert().Model(chunk).Comment("privacy.add_points")
	})
}

func (rows ledgerRows) writePointAssets(ctx context.Context, tx bun.IDB) error {
	return insertChunks(ctx, rows.pointAssets, func(chunk *[]model.PrivacyPointAsset) *bun.InsertQuery {
		return tx.NewInsert().Model(chunk).Comment("privacy.add_point_assets")
	})
}

func (rows ledgerRows) writeBuckets(ctx context.Context, tx bun.IDB) error {
	return insertChunks(ctx, rows.buckets, func(chunk *[]model.PrivacyBucket) *bun.InsertQuery {
		return tx.NewInsert().Model(chunk).Comment("privacy.add_buckets").On("CONFLICT (chain, width, start) DO UPDATE").
			Set(`wallets = pb.wallets + EXCLUDED.wallets, wallets_sum = EXCLUDED.wallets_sum, deposits = pb.deposits + EXCLUDED.deposits,
				withdrawals = pb.withdrawals + EXCLUDED.withdrawals, notes_used = pb.notes_used + EXCLUDED.notes_used, block = EXCLUDED.block`)
	})
}

func (rows ledgerRows) writeFlows(ctx context.Context, tx bun.IDB) error {
	return insertChunks(ctx, rows.flows, func(chunk *[]model.PrivacyBucketFlow) *bun.InsertQuery {
		return tx.NewInsert().Model(chunk).Comment("privacy.add_bucket_flows").On("CONFLICT (chain, width, token, start) DO UPDATE").
			Set(`deposited = pbf.deposited + EXCLUDED.deposited, withdrawn = pbf.withdrawn + EXCLUDED.withdrawn,
				deposited_sum = EXCLUDED.deposited_sum, withdrawn_sum = EXCLUDED.withdrawn_sum, block = EXCLUDED.block`)
	})
}

func (rows ledgerRows) writeFees(ctx context.Context, tx bun.IDB) error {
	return insertChunks(ctx, rows.fees, func(chunk *[]model.PrivacyBucketFee) *bun.InsertQuery {
		return tx.NewInsert().Model(chunk).Comment("privacy.add_bucket_fees").On("CONFLICT (chain, width, token, start) DO UPDATE").
			Set(`amount = pbe.amount + EXCLUDED.amount, amount_sum = EXCLUDED.amount_sum, transfers = pbe.transfers + EXCLUDED.transfers, block = EXCLUDED.block`)
	})
}

// insertChunks runs a statement for each chunk of the rows.
func insertChunks[T any](ctx context.Context, rows []T, statement func(chunk *[]T) *bun.InsertQuery) error {
	for chunk := range slices.Chunk(rows, perStatement) {
		if _, err := statement(&chunk).Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}
