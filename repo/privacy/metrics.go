package privacy

import (
	"context"

	"github.com/uptrace/bun"

	"astrolabe/domain"
	"astrolabe/domain/privacy"
	"astrolabe/repo"
	"astrolabe/repo/model"
)

// bucketsOf reads the buckets of width $1 from $2 to $3 and the newest one
// before them, by the primary key of privacy_buckets.
const bucketsOf = `/* privacy.buckets */
	(SELECT chain, width, start, wallets, wallets_sum, deposits, withdrawals, notes_used, block
		FROM privacy_buckets WHERE chain = %[1]d AND width = $1 AND start < $2 ORDER BY start DESC LIMIT 1)
	UNION ALL
	(SELECT chain, width, start, wallets, wallets_sum, deposits, withdrawals, notes_used, block
		FROM privacy_buckets WHERE chain = %[1]d AND width = $1 AND start >= $2 AND start <= $3 ORDER BY start)`

// Buckets implements privacy.PreparedStore.
func (r Prepared) Buckets(ctx context.Context, c domain.Chain, of privacy.SpanOf) (span privacy.BucketSpan, buckets []privacy.StoredBucket, err error) {
	err = r.span(ctx, c, of, &span, func(ctx context.Context, tx bun.Tx) (err error) {
		buckets, err = r.buckets(ctx, tx, c, span)
		return err
	})
	return span, buckets, err
}

// span reads the span of a ledger, and more at the same moment if it has one.
func (r Prepared) span(ctx context.Context, c domain.Chain, of privacy.SpanOf, span *privacy.BucketSpan, more func(context.Context, bun.Tx) error) error {
	var view privacy.LedgerView
	return r.read(ctx, c, &view, func(ctx context.Context, tx bun.Tx) error {
		var ok bool
		if *span, ok = of(&view); !ok {
			return nil
		}
		return more(ctx, tx)
	})
}

func (r Prepared) buckets(ctx context.Context, tx bun.Tx, c domain.Chain, span privacy.BucketSpan) ([]privacy.StoredBucket, error) {
	rows, err := repo.Select[model.PrivacyBucket](ctx, tx, repo.Text(bucketsOf, model.Code(c)), model.Width(span.Width), int64(span.First), int64(span.Last))
	list := make([]privacy.StoredBucket, len(rows))
	for i := range rows {
		b := &rows[i]
		list[i] = privacy.StoredBucket{Start: uint64(b.Start), LedgerBucket: privacy.LedgerBucket{
			Wallets: uint64(b.Wallets), WalletsSum: uint64(b.WalletsSum), Deposits: uint64(b.Deposits), Withdrawals: uint64(b.Withdrawals),
			NotesUsed: uint64(b.NotesUsed), Block: uint64(b.Block),
		}}
	}
	return list, err
}
