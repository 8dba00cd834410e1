package repo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
	"astrolabe/domain/token"
	"astrolabe/failpoint"
)

// censusLock is the first half of the advisory lock on a token's census; the
// second is the token's id.
const censusLock = 0x6365_6e00 // "cen", and the chain

// BuildCensus makes the census of a token at a block from its transfers, in
// one transaction that sees one moment. Rows are kept only if they are
// certified, and nobody sees them until the draft is published. It is
// token.ErrCensusStale when the index does not hold the block or an operator
// holds the token's census, and token.ErrCensusTaken when somebody else is at
// it.
func (db *DB) BuildCensus(ctx context.Context, c domain.Chain, order token.CensusOrder) (token.CensusDraft, error) {
	draft := token.CensusDraft{Generation: token.Generation{Token: order.Token, Block: order.Block}}
	err := pgx.BeginTxFunc(ctx, db.pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead}, func(tx pgx.Tx) error {
		b := &censusBuild{tx: tx, code: chainCode(c), order: order}
		if err := b.begin(ctx, &draft); err != nil {
			return err
		}
		if err := b.fill(ctx, &draft.Generation); err != nil {
			return err
		}
		if draft.Status == token.CensusAuditFailed {
			return errNotKept
		}
		failpoint.Hit(failpoint.CensusCounted)
		return nil
	})
	if errors.Is(err, errNotKept) {
		err = nil
	}
	failpoint.Hit(failpoint.CensusStaged)
	return draft, outage(storage(err))
}

// errNotKept rolls back rows that did not pass the audit.
var errNotKept = errors.New("the rows are not kept")

// censusBuild is the transaction of one census.
type censusBuild struct {
	tx    pgx.Tx
	code  int
	order token.CensusOrder
	id    int32 // the token's
}

// begin checks that the transaction sees what the census is to be made of.
func (b *censusBuild) begin(ctx context.Context, draft *token.CensusDraft) error {
	var free bool
	err := b.tx.QueryRow(ctx, fmt.Sprintf(`/* census.begin */
		SELECT e.epoch, t.address, pg_try_advisory_xact_lock($4::integer, t.address)
		FROM census_epochs e, addresses a JOIN tokens t ON t.chain = %[1]d AND t.address = a.id
		WHERE e.chain = %[1]d AND a.chain = %[1]d AND a.felt = $1
			AND EXISTS (SELECT FROM blocks WHERE chain = %[1]d AND block = $2 AND hash = $3)
			AND NOT EXISTS (SELECT FROM census_holds WHERE chain = %[1]d AND token = t.address)`, b.code),
		b.order.Token[:], int64(b.order.Block.Number), b.order.Block.Hash[:], censusLock+b.code).Scan(&draft.Epoch, &b.id, &free)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return token.ErrCensusStale
	case err == nil && !free:
		return token.ErrCensusTaken
	}
	return err
}

// fill decides the generation's status and stages its rows.
func (b *censusBuild) fill(ctx context.Context, g *token.Generation) error {
	if b.order.Supply == nil {
		g.Status, g.Reason = token.CensusUnavailable, token.ReasonSupplyUnreadable
		return nil
	}
	base, moved, err := b.base(ctx)
	if err != nil {
		return err
	}
	if base != nil && !moved {
		if g.Status, g.Reason = base.Snapshot.AuditAgain(*b.order.Supply); g.Status == token.CensusCertified {
			g.Snapshot = base.Snapshot
		}
		return nil
	}
	return b.count(ctx, base, g)
}

// base returns the generation to begin with, if it still stands, and whether
// the token moved since.
func (b *censusBuild) base(ctx context.Context) (base *token.Generation, moved bool, err error) {
	base = b.order.Base
	if base == nil || base.Snapshot == nil || base.Block.Number > b.order.Block.Number {
		return nil, true, nil
	}
	var stands bool
	err = b.tx.QueryRow(ctx, fmt.Sprintf(`/* census.base */
		SELECT EXISTS (SELECT FROM census_generations WHERE id = $1 AND status = 'certified'),
			EXISTS (SELECT FROM transfers WHERE chain = %d AND token = $2 AND block > $3 AND block <= $4)`, b.code),
		base.ID, b.id, int64(base.Block.Number), int64(b.order.Block.Number)).Scan(&stands, &moved)
	if !stands {
		return nil, true, err
	}
	return base, moved, err
}

// countHolders adds up the balances of a snapshot ($2; none has the id 0) and
// the transfers of token $3 after block $4 up to $5, along each range's index of
// tokens. The zero address mints and burns and holds nothing.
const countHolders = `/* census.count */
	INSERT INTO census_holders (snapshot, rank, holder, updated, balance)
	SELECT $1::bigint, row_number() OVER (ORDER BY held.balance DESC, a.felt), held.holder, held.updated, held.balance
	FROM (
		SELECT holder, sum(change) AS balance, max(block) AS updated
		FROM (
			SELECT holder, balance AS change, updated AS block FROM census_holders WHERE snapshot = $2
			UNION ALL
			SELECT receiver, amount, block FROM transfers WHERE chain = %[1]d AND token = $3 AND block > $4 AND block <= $5 AND standard = 1
			UNION ALL
			SELECT sender, -amount, block FROM transfers WHERE chain = %[1]d AND token = $3 AND block > $4 AND block <= $5 AND standard = 1
		) changes
		GROUP BY holder HAVING sum(change) <> 0
	) held
	JOIN addresses a ON a.chain = %[1]d AND a.id = held.holder
	WHERE a.felt <> $6`

// count stages a new snapshot.
func (b *censusBuild) count(ctx context.Context, base *token.Generation, g *token.Generation) error {
	var id, from int64
	if err := b.tx.QueryRow(ctx, `/* census.snapshot */
		SELECT nextval(pg_get_serial_sequence('census_snapshots', 'id'))`).Scan(&id); err != nil {
		return err
	}
	after := int64(-1)
	if base != nil {
		from, after = base.Snapshot.ID, int64(base.Block.Number)
	}
	var zero [32]byte
	if _, err := b.tx.Exec(ctx, fmt.Sprintf(countHolders, b.code), id, from, b.id, after, int64(b.order.Block.Number), zero[:]); err != nil {
		return err
	}
	tally := token.NewTally(*b.order.Supply)
	if err := b.audit(ctx, id, tally); err != nil {
		return err
	}
	if g.Status, g.Reason, g.Snapshot = tally.Close(); g.Snapshot == nil {
		return nil
	}
	g.Snapshot.ID = id
	analytics, err := json.Marshal(g.Snapshot.Analytics)
	if err != nil {
		return err
	}
	_, err = b.tx.Exec(ctx, fmt.Sprintf(`/* census.keep */
		INSERT INTO census_snapshots (id, chain, token, holders, total, digest, analytics, created_at)
		VALUES ($1, %d, $2, $3, $4::numeric, $5, $6::jsonb, now())`, b.code),
		id, b.id, g.Snapshot.Holders, g.Snapshot.Total, g.Snapshot.Digest[:], string(analytics))
	return err
}

// audit reads the staged rows in their order, one at a time.
func (b *censusBuild) audit(ctx context.Context, snapshot int64, tally *token.Tally) error {
	rows, err := b.tx.Query(ctx, fmt.Sprintf(`/* census.audit */
		SELECT h.rank, a.felt, h.balance, h.updated
		FROM census_holders h JOIN addresses a ON a.chain = %d AND a.id = h.holder
		WHERE h.snapshot = $1 ORDER BY h.rank`, b.code), snapshot)
	if err != nil {
		return err
	}
	var h token.Holder
	_, err = pgx.ForEachRow(rows, []any{&h.Rank, &h.Address, &h.Balance, &h.Updated}, func() error { return tally.Add(h) })
	return err
}

// PublishCensus shows a draft to readers and returns the id of the generation.
// It is token.ErrCensusStale, and shows nothing, when facts of final blocks
// were taken back since the draft was made.
func (db *DB) PublishCensus(ctx context.Context, c domain.Chain, draft token.CensusDraft) (id int64, err error) {
	var snapshot *int64
	if draft.Snapshot != nil {
		snapshot = &draft.Snapshot.ID
	}
	err = pgx.BeginFunc(ctx, db.pool, func(tx pgx.Tx) error {
		var epoch int64
		if err := tx.QueryRow(ctx, `/* census.epoch */
			SELECT epoch FROM census_epochs WHERE chain = $1 FOR SHARE`, chainCode(c)).Scan(&epoch); err != nil {
			return err
		}
		if epoch != draft.Epoch {
			return token.ErrCensusStale
		}
		err := tx.QueryRow(ctx, fmt.Sprintf(`/* census.publish */
			INSERT INTO census_generations (chain, token, block, block_hash, status, reason, checked_at, expires_at, snapshot)
			SELECT %[1]d, id, $2, $3, $4, nullif($5, ''), $6, $7, $8 FROM addresses WHERE chain = %[1]d AND felt = $1
			RETURNING id`, chainCode(c)),
			draft.Token[:], int64(draft.Block.Number), draft.Block.Hash[:], string(draft.Status), draft.Reason,
			draft.CheckedAt, draft.ExpiresAt, snapshot).Scan(&id)
		failpoint.Hit(failpoint.CensusPublished)
		return err
	})
	return id, outage(storage(err))
}
