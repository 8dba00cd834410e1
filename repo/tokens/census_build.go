package tokens

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"astrolabe/domain"
	"astrolabe/domain/token"
	"astrolabe/failpoint"
	"astrolabe/repo"
	"astrolabe/repo/model"
	"astrolabe/starknet"
)

// CensusBuilder builds, publishes, withholds and deletes holder censuses.
type CensusBuilder struct{ db *repo.DB }

// NewCensusBuilder returns the repository that builds censuses.
func NewCensusBuilder(db *repo.DB) CensusBuilder { return CensusBuilder{db} }

// ClaimCensuses claims at most limit tokens, first seen in a block up to upTo,
// whose census is due, the longest waiting first. It defers them until the
// given time, so that no other process claims them meanwhile.
func (r CensusBuilder) ClaimCensuses(ctx context.Context, c domain.Chain, upTo uint64, now, until time.Time, limit int) ([]starknet.Felt, error) {
	return censusDue.claim(ctx, r.db, c, upTo, now, until, limit)
}

// PutOffCensus sets when the census of a token is due next.
func (r CensusBuilder) PutOffCensus(ctx context.Context, c domain.Chain, contract starknet.Felt, until time.Time) error {
	_, err := r.db.Write().NewRaw(`/* census.defer */
		UPDATE tokens SET census_due = ?2
		WHERE chain = ?0 AND address = (SELECT id FROM addresses WHERE chain = ?0 AND felt = ?1)`,
		model.Code(c), contract, until).Exec(ctx)
	return repo.Failure(ctx, err)
}

// StoreCensusPolicy stores whether a token qualifies for a census. A token that
// was removed meanwhile is ignored.
func (r CensusBuilder) StoreCensusPolicy(ctx context.Context, c domain.Chain, contract starknet.Felt, p token.CensusPolicy) error {
	_, err := r.db.Write().NewRaw(`/* census.judge */
		INSERT INTO census_policies (chain, token, qualified, reason, block)
		SELECT ?0, t.address, ?2, nullif(?3, ''), ?4
		FROM addresses a JOIN tokens t ON t.chain = ?0 AND t.address = a.id
		WHERE a.chain = ?0 AND a.felt = ?1
		ON CONFLICT (chain, token) DO UPDATE SET qualified = excluded.qualified, reason = excluded.reason, block = excluded.block`,
		model.Code(c), contract, p.Qualified, p.Reason, model.BlockNumber(p.Block)).Exec(ctx)
	return repo.Failure(ctx, err)
}

// censusLock is the first half of the advisory lock on a token's census; the
// second is the token's id.
const censusLock = 0x6365_6e00 // "cen", and the chain

// BuildCensus builds the census of a token at a block from its transfers, in
// one transaction on one snapshot. It keeps the rows only if the audit
// certifies them, and readers do not see them until the draft is published. It
// returns token.ErrCensusStale if the index does not hold the block or an
// operator holds the token's census, and token.ErrCensusTaken if another
// process is building it.
func (r CensusBuilder) BuildCensus(ctx context.Context, c domain.Chain, order token.CensusOrder) (token.CensusDraft, error) {
	draft := token.CensusDraft{Generation: token.Generation{Token: order.Token, Block: order.Block}}
	oneMoment := &sql.TxOptions{Isolation: sql.LevelRepeatableRead}
	err := r.db.Write().RunInTx(ctx, oneMoment, func(ctx context.Context, tx bun.Tx) error {
		b := &censusBuild{Tx: tx, chain: model.Code(c), order: order}
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
	return draft, repo.WriteFailure(err)
}

// errNotKept rolls back rows that did not pass the audit.
var errNotKept = errors.New("the census failed its audit")

// censusBuild is the transaction of one census.
type censusBuild struct {
	bun.Tx
	chain int
	order token.CensusOrder
	id    model.ID // of the token
}

// begin checks that the transaction's snapshot has the block and the token.
func (b *censusBuild) begin(ctx context.Context, draft *token.CensusDraft) error {
	var free bool
	err := b.NewRaw(`/* census.begin */
		SELECT e.epoch, t.address, pg_try_advisory_xact_lock(?4, t.address)
		FROM census_epochs e, addresses a JOIN tokens t ON t.chain = ?0 AND t.address = a.id
		WHERE e.chain = ?0 AND a.chain = ?0 AND a.felt = ?1
			AND EXISTS (SELECT FROM blocks WHERE chain = ?0 AND block = ?2 AND hash = ?3)
			AND NOT EXISTS (SELECT FROM census_holds WHERE chain = ?0 AND token = t.address)`,
		b.chain, b.order.Token, model.ClipBlock(b.order.Block.Number), b.order.Block.Hash, censusLock+b.chain).Scan(ctx, &draft.Epoch, &b.id, &free)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return token.ErrCensusStale
	case err == nil && !free:
		return token.ErrCensusTaken
	}
	return err
}

// fill determines the generation's status and stages its rows.
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

// base returns the generation to start from, if it is still valid, and whether
// the token has transfers since then.
func (b *censusBuild) base(ctx context.Context) (base *token.Generation, moved bool, err error) {
	base = b.order.Base
	if base == nil || base.Snapshot == nil || base.Block.Number > b.order.Block.Number {
		return nil, true, nil
	}
	var valid bool
	err = b.NewRaw(`/* census.base */
		SELECT EXISTS (SELECT FROM census_generations WHERE id = ?1 AND status = 'certified'),
			EXISTS (SELECT FROM transfers WHERE chain = ?0 AND token = ?2 AND block > ?3 AND block <= ?4)`,
		b.chain, base.ID, b.id, base.Block.Number, b.order.Block.Number).Scan(ctx, &valid, &moved)
	if !valid {
		return nil, true, err
	}
	return base, moved, err
}

// countHolders sums the balances of a snapshot (?2; 0 means none) and the
// transfers of token ?3 after block ?4 up to ?5, by transfers_…_token. The zero
// address mints and burns and holds nothing.
const countHolders = `/* census.count */
	INSERT INTO census_holders (snapshot, rank, holder, updated, balance)
	SELECT ?1::bigint, row_number() OVER (ORDER BY held.balance DESC, a.felt), held.holder, held.updated, held.balance
	FROM (
		SELECT holder, sum(change) AS balance, max(block) AS updated
		FROM (
			SELECT holder, balance AS change, updated AS block FROM census_holders WHERE snapshot = ?2
			UNION ALL
			SELECT receiver, amount, block FROM transfers WHERE chain = ?0 AND token = ?3 AND block > ?4 AND block <= ?5 AND standard = 1
			UNION ALL
			SELECT sender, -amount, block FROM transfers WHERE chain = ?0 AND token = ?3 AND block > ?4 AND block <= ?5 AND standard = 1
		) changes
		GROUP BY holder HAVING sum(change) <> 0
	) held
	JOIN addresses a ON a.chain = ?0 AND a.id = held.holder
	WHERE a.felt <> ?6`

// count stages a new snapshot.
func (b *censusBuild) count(ctx context.Context, base *token.Generation, g *token.Generation) error {
	var id, from int64
	if err := b.NewRaw(`/* census.snapshot */
		SELECT nextval(pg_get_serial_sequence('census_snapshots', 'id'))`).Scan(ctx, &id); err != nil {
		return err
	}
	after := int64(-1)
	if base != nil {
		from, after = base.Snapshot.ID, int64(base.Block.Number)
	}
	if _, err := b.NewRaw(countHolders, b.chain, id, from, b.id, after, b.order.Block.Number, starknet.Felt{}).Exec(ctx); err != nil {
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
	_, err = b.NewRaw(`/* census.keep */
		INSERT INTO census_snapshots (id, chain, token, holders, total, digest, analytics, created_at)
		VALUES (?1, ?0, ?2, ?3, ?4, ?5, ?6, now())`,
		b.chain, id, b.id, g.Snapshot.Holders, g.Snapshot.Total, model.Hash(g.Snapshot.Digest), string(analytics)).Exec(ctx)
	return err
}

// audit reads the staged rows in their order, one at a time.
func (b *censusBuild) audit(ctx context.Context, snapshot int64, tally *token.Tally) error {
	return repo.Each(ctx, b.Tx, func(row *holderRow) error { return tally.Add(row.holder()) }, fmt.Sprintf(`/* census.audit */
		SELECT h.rank, a.felt AS address, h.balance, h.updated
		FROM census_holders h JOIN addresses a ON a.chain = %d AND a.id = h.holder
		WHERE h.snapshot = $1 ORDER BY h.rank`, b.chain), snapshot)
}

// PublishCensus makes a draft visible to readers and returns the id of the
// generation. It returns token.ErrCensusStale, and publishes nothing, if facts
// of finalized blocks were retracted after the draft was built.
func (r CensusBuilder) PublishCensus(ctx context.Context, c domain.Chain, draft token.CensusDraft) (id int64, err error) {
	var snapshot *int64
	if draft.Snapshot != nil {
		snapshot = &draft.Snapshot.ID
	}
	err = r.db.Write().RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		var epoch int64
		if err := tx.NewRaw("/* census.epoch */ SELECT epoch FROM census_epochs WHERE chain = ? FOR SHARE", model.Code(c)).Scan(ctx, &epoch); err != nil {
			return err
		}
		if epoch != draft.Epoch {
			return token.ErrCensusStale
		}
		err := tx.NewRaw(`/* census.publish */
			INSERT INTO census_generations (chain, token, block, block_hash, status, reason, checked_at, expires_at, snapshot)
			SELECT ?0, id, ?2, ?3, ?4, nullif(?5, ''), ?6, ?7, ?8 FROM addresses WHERE chain = ?0 AND felt = ?1
			RETURNING id`,
			model.Code(c), draft.Token, model.BlockNumber(draft.Block.Number), draft.Block.Hash, string(draft.Status), draft.Reason,
			draft.CheckedAt, draft.ExpiresAt, snapshot).Scan(ctx, &id)
		failpoint.Hit(failpoint.CensusPublished)
		return err
	})
	return id, repo.WriteFailure(err)
}
