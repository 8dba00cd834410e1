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

// CensusBuilder makes holder censuses, publishes, withholds and deletes them.
type CensusBuilder struct{ db *repo.DB }

// NewCensusBuilder returns the repository of censuses in the making.
func NewCensusBuilder(db *repo.DB) CensusBuilder { return CensusBuilder{db} }

// ClaimCensuses returns tokens of the blocks up to a number whose census is due,
// at most limit, those that wait longest first, and defers them until the given
// time, so that nobody else takes them meanwhile.
func (r CensusBuilder) ClaimCensuses(ctx context.Context, c domain.Chain, upTo uint64, now, until time.Time, limit int) ([]starknet.Felt, error) {
	return censusDue.claim(ctx, r.db, c, upTo, now, until, limit)
}

// PutOffCensus says when the census of a token is due next.
func (r CensusBuilder) PutOffCensus(ctx context.Context, c domain.Chain, contract starknet.Felt, until time.Time) error {
	_, err := r.db.Write().NewRaw(`/* census.defer */
		UPDATE tokens SET census_due = ?2
		WHERE chain = ?0 AND address = (SELECT id FROM addresses WHERE chain = ?0 AND felt = ?1)`,
		model.Code(c), contract, until).Exec(ctx)
	return repo.Failure(ctx, err)
}

// StoreCensusPolicy stores how a token was judged. A token that was removed
// since is left out.
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

// BuildCensus makes the census of a token at a block from its transfers, in
// one transaction that sees one moment. Rows are kept only if they are
// certified, and nobody sees them until the draft is published. It is
// token.ErrCensusStale when the index does not hold the block or an operator
// holds the token's census, and token.ErrCensusTaken when another process is
// making it.
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
var errNotKept = errors.New("the rows are not kept")

// censusBuild is the transaction of one census.
type censusBuild struct {
	bun.Tx
	chain int
	order token.CensusOrder
	id    model.ID // the token's
}

// begin checks that the transaction sees what the census is to be made of.
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
	err = b.NewRaw(`/* census.base */
		SELECT EXISTS (SELECT FROM census_generations WHERE id = ?1 AND status = 'certified'),
			EXISTS (SELECT FROM transfers WHERE chain = ?0 AND token = ?2 AND block > ?3 AND block <= ?4)`,
		b.chain, base.ID, b.id, base.Block.Number, b.order.Block.Number).Scan(ctx, &stands, &moved)
	if !stands {
		return nil, true, err
	}
	return base, moved, err
}

// countHolders adds up the balances of a snapshot (?2; none has the id 0) and
// the transfers of token ?3 after block ?4 up to ?5, along each range's index of
// tokens. The zero address mints and burns and holds nothing.
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

// PublishCensus shows a draft to readers and returns the id of the generation.
// It is token.ErrCensusStale, and shows nothing, when facts of final blocks
// were taken back since the draft was made.
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
