package tokens

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/uptrace/bun"

	"astrolabe/domain"
	"astrolabe/domain/token"
	"astrolabe/failpoint"
	"astrolabe/repo"
	"astrolabe/repo/model"
	"astrolabe/starknet"
)

// Summaries counts the transfers of tokens. Sums of finalized transfers are
// stored; later transfers are counted on each read.
type Summaries struct{ db *repo.DB }

var _ token.SummaryStore = Summaries{}

// NewSummaries returns the repository of summaries.
func NewSummaries(db *repo.DB) Summaries { return Summaries{db} }

// summaryRow is a row of summarised.
type summaryRow struct {
	tokenRow
	Untyped      bool               `bun:"untyped"`
	Whole        bool               `bun:"whole"`
	Latest       *model.BlockNumber `bun:"latest"`
	Through      *model.BlockNumber `bun:"through"`
	UpdatedAt    *time.Time         `bun:"updated_at"`
	Transfers    *int64             `bun:"transfers"` // the stored sums: all three or none
	Senders      *int64             `bun:"senders"`
	Receivers    *int64             `bun:"receivers"`
	CountedAbove bool               `bun:"counted_above"`
	NewTransfers int64              `bun:"new_transfers"`
	NewSenders   int64              `bun:"new_senders"`
	NewReceivers int64              `bun:"new_receivers"`
}

// summarised adds the counts to tokens. It finds evidence of untyped transfers by
// the primary key of untyped_transfers, the sums of a token by primary
// key, later transfers by transfers_…_token, at most %[2]d and one, and their
// senders and receivers by the primary key of token_parties. There are no sums
// while their checkpoint is null.
var summarised = `/* token.summaries */
	SELECT p.parent, ` + tokenColumns + `,
		` + outdated + ` OR EXISTS (SELECT FROM untyped_transfers WHERE chain = %[1]d AND address = a.id AND part = 0 AND block < ` + firstUnseen + ` LIMIT 1) AS untyped,
		(i.first_block = 0 OR EXISTS (SELECT FROM contract_classes WHERE chain = %[1]d AND address = a.id AND origin = 1)) AS whole,
		(SELECT block FROM transfers WHERE chain = %[1]d AND token = a.id ORDER BY block DESC LIMIT 1) AS latest,
		c.block AS through, c.updated_at, s.transfers, s.senders, s.receivers,
		s.transfers IS NULL OR c.block >= $2 AS counted_above,
		n.transfers AS new_transfers, n.senders AS new_senders, n.receivers AS new_receivers` + byAddress + `
	JOIN index_checkpoints i ON i.chain = %[1]d
	JOIN token_summary_checkpoints c ON c.chain = %[1]d
	LEFT JOIN LATERAL (
		SELECT transfers, senders, receivers FROM token_summaries WHERE chain = %[1]d AND token = a.id AND c.block IS NOT NULL LIMIT 1
	) s ON true
	CROSS JOIN LATERAL (
		WITH above AS MATERIALIZED (
			SELECT sender, receiver FROM transfers
			WHERE chain = %[1]d AND token = a.id AND block > coalesce(c.block, -1) AND (s.transfers IS NULL OR c.block >= $2)
			LIMIT %[2]d + 1
		)
		SELECT (SELECT count(*) FROM above) AS transfers,
			(SELECT count(*) FROM (SELECT DISTINCT sender FROM above) x WHERE NOT coalesce((
				SELECT sent FROM token_parties WHERE chain = %[1]d AND token = a.id AND address = x.sender AND c.block IS NOT NULL), false)) AS senders,
			(SELECT count(*) FROM (SELECT DISTINCT receiver FROM above) x WHERE NOT coalesce((
				SELECT received FROM token_parties WHERE chain = %[1]d AND token = a.id AND address = x.receiver AND c.block IS NOT NULL), false)) AS receivers
	) n`

// CountedTokens implements token.SummaryStore.
func (r Summaries) CountedTokens(ctx context.Context, c domain.Chain, addresses []starknet.Felt, bounds token.Counting) ([]*token.Counted, error) {
	rows, err := repo.Select[summaryRow](ctx, r.db.Read(), repo.Text(summarised, model.Code(c), int(bounds.Most)),
		model.Bytes(addresses), int64(bounds.Fresh))
	if err != nil {
		return nil, err
	}
	tokens := make([]*token.Counted, len(addresses))
	for i := range rows {
		row := &rows[i]
		counted := &token.Counted{
			Token: row.token(addresses), Untyped: row.Untyped, Whole: row.Whole, Latest: row.Latest.Uint64(), Through: row.Through.Uint64(), UpdatedAt: inUTC(row.UpdatedAt),
		}
		if row.Transfers != nil {
			counted.Sums = &token.Counts{Transfers: uint64(*row.Transfers), Senders: uint64(*row.Senders), Receivers: uint64(*row.Receivers)}
		}
		if row.CountedAbove && uint64(row.NewTransfers) <= bounds.Most {
			counted.Above = &token.Counts{Transfers: uint64(row.NewTransfers), Senders: uint64(row.NewSenders), Receivers: uint64(row.NewReceivers)}
		}
		tokens[row.Parent-1] = counted
	}
	return tokens, nil
}

// SumTransfers adds the next visible finalized transfers to the sums of their
// tokens, about the given number and whole blocks, in one transaction. While
// another process is adding, it finds nothing to do.
func (r Summaries) SumTransfers(ctx context.Context, c domain.Chain, about int) (done token.Summing, err error) {
	err = r.db.Write().RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		s := summing{tx, model.Code(c)}
		through, target, err := s.begin(ctx)
		if err != nil || target == nil || through != nil && *through >= *target {
			return err
		}
		if through == nil {
			if through, err = s.clear(ctx); err != nil {
				return err
			}
		}
		to, err := s.end(ctx, *through, *target, about)
		if err != nil {
			return err
		}
		if _, err := tx.NewRaw(addToSums, s.chain, *through, to).Exec(ctx); err != nil {
			return err
		}
		failpoint.Hit(failpoint.SumsAdded)
		_, err = tx.NewRaw(`/* summary.checkpoint */
			UPDATE token_summary_checkpoints SET block = ?1, updated_at = now() WHERE chain = ?0`, s.chain, to).Exec(ctx)
		failpoint.Hit(failpoint.SumsCheckpoint)
		done = token.Summing{Through: uint64(to), More: to < *target, Advanced: true}
		return err
	})
	return done, repo.Failure(ctx, err)
}

// summing is the transaction that adds to the sums of a chain.
type summing struct {
	bun.Tx
	chain int
}

// begin returns the last summed block and the last block that could be summed;
// nil means none. It locks the sums until the transaction ends. If another
// transaction holds the lock, there is nothing to sum.
func (s summing) begin(ctx context.Context) (through, target *int64, err error) {
	err = s.NewRaw(`/* summary.lock */
		SELECT block FROM token_summary_checkpoints WHERE chain = ? FOR UPDATE SKIP LOCKED`, s.chain).Scan(ctx, &through)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	// A separate statement, so that it sees undos that committed before the
	// lock.
	err = s.NewRaw(`/* summary.target */
		SELECT CASE WHEN least(c.finalized_block, seen.last) >= c.first_block THEN least(c.finalized_block, seen.last) END
		FROM index_checkpoints c CROSS JOIN LATERAL (
			SELECT coalesce(min(from_block) - 1, c.block) AS last FROM index_ranges WHERE chain = c.chain AND state <> 'ready'
		) seen WHERE c.chain = ? AND c.finalized_block IS NOT NULL`, s.chain).Scan(ctx, &target)
	if errors.Is(err, sql.ErrNoRows) {
		return through, nil, nil
	}
	return through, target, err
}

// clear deletes invalid sums and returns the block before the first indexed
// one.
func (s summing) clear(ctx context.Context) (*int64, error) {
	for _, table := range []bun.Ident{"token_parties", "token_summaries"} {
		if _, err := s.NewRaw("/* summary.clear */ DELETE FROM ? WHERE chain = ?", table, s.chain).Exec(ctx); err != nil {
			return nil, err
		}
	}
	var first int64
	err := s.NewRaw("/* summary.first */ SELECT first_block FROM index_checkpoints WHERE chain = ?", s.chain).Scan(ctx, &first)
	return new(first - 1), err
}

// end returns the block up to which about this many transfers are added, by
// transfers_…_place.
func (s summing) end(ctx context.Context, through, target int64, about int) (to int64, err error) {
	err = s.NewRaw(`/* summary.end */
		SELECT coalesce((
			SELECT block FROM transfers WHERE chain = ?0 AND block > ?1 AND block <= ?2
			ORDER BY block, tx, log, idx LIMIT 1 OFFSET ?3), ?2)`, s.chain, through, target, about).Scan(ctx, &to)
	return to, err
}

// addToSums adds the transfers of the blocks above ?1 up to ?2. It looks up
// each party once by the primary key of token_parties, as of before this
// statement.
const addToSums = `/* summary.add */
	WITH moved AS MATERIALIZED (
		SELECT token, sender, receiver FROM transfers WHERE chain = ?0 AND block > ?1 AND block <= ?2
	), seen AS (
		SELECT token, address, bool_or(sent) AS sent, bool_or(NOT sent) AS received FROM (
			SELECT token, sender AS address, true AS sent FROM moved UNION ALL SELECT token, receiver, false FROM moved
		) m GROUP BY token, address
	), news AS MATERIALIZED (
		SELECT s.token, s.address, s.sent OR coalesce(k.sent, false) AS sent, s.received OR coalesce(k.received, false) AS received,
			s.sent AND NOT coalesce(k.sent, false) AS sender, s.received AND NOT coalesce(k.received, false) AS receiver
		FROM seen s LEFT JOIN LATERAL (
			SELECT sent, received FROM token_parties WHERE chain = ?0 AND token = s.token AND address = s.address LIMIT 1
		) k ON true
		WHERE k.sent IS NULL OR s.sent > k.sent OR s.received > k.received
	), kept AS (
		INSERT INTO token_parties (chain, token, address, sent, received)
		SELECT ?0, token, address, sent, received FROM news
		ON CONFLICT (chain, token, address) DO UPDATE SET sent = excluded.sent, received = excluded.received
	)
	INSERT INTO token_summaries AS known (chain, token, transfers, senders, receivers)
	SELECT ?0, t.token, t.transfers, coalesce(n.senders, 0), coalesce(n.receivers, 0)
	FROM (SELECT token, count(*) AS transfers FROM moved GROUP BY token) t
	LEFT JOIN (
		SELECT token, count(*) FILTER (WHERE sender) AS senders, count(*) FILTER (WHERE receiver) AS receivers FROM news GROUP BY token
	) n ON n.token = t.token
	ON CONFLICT (chain, token) DO UPDATE SET transfers = known.transfers + excluded.transfers,
		senders = known.senders + excluded.senders, receivers = known.receivers + excluded.receivers`
