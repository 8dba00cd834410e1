package privacy

import (
	"context"

	"github.com/uptrace/bun"

	"astrolabe/domain"
	"astrolabe/domain/privacy"
	"astrolabe/repo"
	"astrolabe/repo/model"
	"astrolabe/starknet"
)

// tokenRow is a token in the order of its newest flow.
type tokenRow struct {
	ID    model.ID      `bun:"id"`
	Token starknet.Felt `bun:"token"`
}

// lastFlows are the tokens with the newest flows, by privacy_assets_newest. A
// token has one row for each pool, so that enough of the newest rows are read
// for %[2]d tokens.
const lastFlows = `
	SELECT n.token AS id, a.felt AS token, n.block, n.tx, n.log
	FROM (
		SELECT DISTINCT ON (token) token, block, tx, log
		FROM (
			SELECT token, block, tx, log FROM privacy_assets WHERE chain = %[1]d ORDER BY block DESC, tx DESC, log DESC
			LIMIT %[2]d * (SELECT greatest(count(DISTINCT pool), 1) FROM privacy_counts WHERE chain = %[1]d)
		) rows ORDER BY token, block DESC, tx DESC, log DESC
	) n
	CROSS JOIN LATERAL (SELECT felt FROM addresses WHERE chain = %[1]d AND id = n.token LIMIT 1) a
	ORDER BY n.block DESC, n.tx DESC, n.log DESC LIMIT %[2]d`

const (
	seriesTokens = `/* privacy.newest_tokens */ SELECT id, token FROM (` + lastFlows + `) n`
	// seriesToken finds one token by (chain, felt) of addresses.
	seriesToken = `/* privacy.token */ SELECT id, felt AS token FROM addresses WHERE chain = %[1]d AND felt = $1`
	// feesIn steps from one token with fees of width $1 to the next, by the
	// primary key of privacy_bucket_fees.
	feesIn = `/* privacy.fee_tokens */
		WITH RECURSIVE step (id) AS (
			(SELECT token FROM privacy_bucket_fees WHERE chain = %[1]d AND width = $1 ORDER BY token LIMIT 1)
			UNION ALL
			SELECT (SELECT token FROM privacy_bucket_fees WHERE chain = %[1]d AND width = $1 AND token > step.id ORDER BY token LIMIT 1)
			FROM step WHERE step.id IS NOT NULL
		)
		SELECT step.id, a.felt AS token FROM step
		CROSS JOIN LATERAL (SELECT felt FROM addresses WHERE chain = %[1]d AND id = step.id LIMIT 1) a`
)

// flowsOf reads the buckets of width $1 from $2 to $3 of the tokens $4, and the
// newest one before them, by the primary key of privacy_bucket_flows.
const flowsOf = `/* privacy.bucket_flows */
	SELECT f.chain, f.width, f.token, f.start, f.deposited, f.withdrawn, f.deposited_sum, f.withdrawn_sum, f.block
	FROM unnest($4::integer[]) AS p (token)
	CROSS JOIN LATERAL (
		(SELECT chain, width, token, start, deposited, withdrawn, deposited_sum, withdrawn_sum, block
			FROM privacy_bucket_flows WHERE chain = %[1]d AND width = $1 AND token = p.token AND start < $2 ORDER BY start DESC LIMIT 1)
		UNION ALL
		(SELECT chain, width, token, start, deposited, withdrawn, deposited_sum, withdrawn_sum, block
			FROM privacy_bucket_flows WHERE chain = %[1]d AND width = $1 AND token = p.token AND start >= $2 AND start <= $3 ORDER BY start)
	) f`

// flowsTogether reads the same as flowsOf, the buckets of all tokens in the order of
// their start, by privacy_bucket_flows_start: those of a bucket were written
// together, so that they share pages. OFFSET keeps the order of reading.
const flowsTogether = `/* privacy.all_bucket_flows */
	SELECT f.chain, f.width, f.token, f.start, f.deposited, f.withdrawn, f.deposited_sum, f.withdrawn_sum, f.block
	FROM unnest($4::integer[]) AS p (token)
	CROSS JOIN LATERAL (
		SELECT chain, width, token, start, deposited, withdrawn, deposited_sum, withdrawn_sum, block
		FROM privacy_bucket_flows WHERE chain = %[1]d AND width = $1 AND token = p.token AND start < $2 ORDER BY start DESC LIMIT 1
	) f
	UNION ALL
	SELECT * FROM (
		SELECT chain, width, token, start, deposited, withdrawn, deposited_sum, withdrawn_sum, block
		FROM privacy_bucket_flows WHERE chain = %[1]d AND width = $1 AND start >= $2 AND start <= $3 ORDER BY start, token OFFSET 0
	) b WHERE b.token = ANY ($4)`

// feesOf is flowsOf for fees, by the primary key of privacy_bucket_fees.
const feesOf = `/* privacy.bucket_fees */
	SELECT f.chain, f.width, f.token, f.start, f.amount, f.amount_sum, f.transfers, f.block
	FROM unnest($4::integer[]) AS p (token)
	CROSS JOIN LATERAL (
		(SELECT chain, width, token, start, amount, amount_sum, transfers, block
			FROM privacy_bucket_fees WHERE chain = %[1]d AND width = $1 AND token = p.token AND start < $2 ORDER BY start DESC LIMIT 1)
		UNION ALL
		(SELECT chain, width, token, start, amount, amount_sum, transfers, block
			FROM privacy_bucket_fees WHERE chain = %[1]d AND width = $1 AND token = p.token AND start >= $2 AND start <= $3 ORDER BY start)
	) f`

// Series implements privacy.PreparedStore.
func (r Prepared) Series(ctx context.Context, c domain.Chain, of privacy.SpanOf, token *starknet.Felt, most int) (s privacy.StoredSeries, err error) {
	err = r.span(ctx, c, of, &s.Span, func(ctx context.Context, tx bun.Tx) (err error) {
		if s.Buckets, err = r.buckets(ctx, tx, c, s.Span); err != nil {
			return err
		}
		flowing, charged, err := r.tokens(ctx, tx, c, s.Span.Width, token, most)
		if err != nil {
			return err
		}
		if s.Truncated = len(flowing) > most; s.Truncated {
			flowing = flowing[:most]
		}
		statement := flowsTogether
		if token != nil || s.Truncated { // of some tokens
			statement = flowsOf
		}
		if s.Flows, err = r.flows(ctx, tx, c, s.Span, flowing, statement); err != nil {
			return err
		}
		s.Fees, err = r.fees(ctx, tx, c, s.Span, charged)
		return err
	})
	return s, err
}

// tokens returns the tokens whose flows and fees a series has.
func (r Prepared) tokens(ctx context.Context, tx bun.Tx, c domain.Chain, w privacy.Width, of *starknet.Felt, most int) (flowing, charged []tokenRow, err error) {
	if of != nil {
		flowing, err = repo.Select[tokenRow](ctx, tx, repo.Text(seriesToken, model.Code(c)), *of)
		return flowing, flowing, err
	}
	if flowing, err = repo.Select[tokenRow](ctx, tx, repo.Text(seriesTokens, model.Code(c), most+1)); err != nil {
		return nil, nil, err
	}
	charged, err = repo.Select[tokenRow](ctx, tx, repo.Text(feesIn, model.Code(c)), model.Width(w))
	return flowing, charged, err
}

func (r Prepared) flows(ctx context.Context, tx bun.Tx, c domain.Chain, span privacy.BucketSpan, tokens []tokenRow, statement string) (map[starknet.Felt][]privacy.StoredFlow, error) {
	ids, felts := identify(tokens)
	rows, err := repo.Select[model.PrivacyBucketFlow](ctx, tx, repo.Text(statement, model.Code(c)), model.Width(span.Width), int64(span.First), int64(span.Last), ids)
	flows := make(map[starknet.Felt][]privacy.StoredFlow, len(tokens))
	for i := range rows {
		f, of := &rows[i], felts[rows[i].Token]
		flows[of] = append(flows[of], privacy.StoredFlow{Start: uint64(f.Start), LedgerBucketFlow: privacy.LedgerBucketFlow{
			Deposited: f.Deposited, Withdrawn: f.Withdrawn, DepositedSum: f.DepositedSum, WithdrawnSum: f.WithdrawnSum, Block: uint64(f.Block),
		}})
	}
	return flows, err
}

func (r Prepared) fees(ctx context.Context, tx bun.Tx, c domain.Chain, span privacy.BucketSpan, tokens []tokenRow) (map[starknet.Felt][]privacy.StoredFee, error) {
	ids, felts := identify(tokens)
	rows, err := repo.Select[model.PrivacyBucketFee](ctx, tx, repo.Text(feesOf, model.Code(c)), model.Width(span.Width), int64(span.First), int64(span.Last), ids)
	fees := make(map[starknet.Felt][]privacy.StoredFee, len(tokens))
	for i := range rows {
		f, of := &rows[i], felts[rows[i].Token]
		fees[of] = append(fees[of], privacy.StoredFee{Start: uint64(f.Start), LedgerBucketFee: privacy.LedgerBucketFee{
			Amount: f.Amount, AmountSum: f.AmountSum, Transfers: uint64(f.Transfers), Block: uint64(f.Block),
		}})
	}
	return fees, err
}

// identify returns the IDs of tokens, and the token of each ID.
func identify(tokens []tokenRow) (ids []int32, felts map[model.ID]starknet.Felt) {
	ids, felts = make([]int32, len(tokens)), make(map[model.ID]starknet.Felt, len(tokens))
	for i, t := range tokens {
		ids[i], felts[t.ID] = int32(t.ID), t.Token
	}
	return ids, felts
}
