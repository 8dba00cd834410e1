package privacy

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/uptrace/bun"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/domain/privacy"
	"astrolabe/failpoint"
	"astrolabe/repo"
	"astrolabe/repo/model"
)

// Ledgers keeps the flow ledgers of finalized events.
type Ledgers struct{ db *repo.DB }

// NewLedgers returns the repository of flow ledgers.
func NewLedgers(db *repo.DB) Ledgers { return Ledgers{db} }

const (
	// stepBlocks limits the blocks of a step, and with them the hours that end in
	// it: at two seconds a block there are a hundred.
	stepBlocks = 200_000
	// recheck is how often a ledger that does not change is said to be checked.
	recheck = 10 * time.Second
	// clockSkew is how far the clocks of two processes may differ. A time that is
	// further in the future was not written by one.
	clockSkew = 10 * time.Minute
)

// Extend adds the next visible finalized blocks to the ledger of a chain, with
// about the given number of events, in one transaction. It stops before a block
// with an event that could not be read yet. While another process is extending
// it, or while events are of another version, there is nothing to do.
func (r Ledgers) Extend(ctx context.Context, c domain.Chain, now time.Time, about int) (done privacy.LedgerProgress, err error) {
	err = r.db.Write().RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		e := extending{ledgerReader: newLedgerReader(tx, c), now: now}
		if found, err := e.begin(ctx); err != nil || !found {
			return err
		}
		done, err = e.extend(ctx, about)
		return err
	})
	if err != nil {
		return privacy.LedgerProgress{}, repo.Failure(ctx, err)
	}
	return done, nil
}

// extending is the transaction that extends a ledger.
type extending struct {
	ledgerReader
	now    time.Time
	row    model.PrivacyLedger
	limits ledgerLimits
}

// ledgerLimits are the blocks that a ledger may include.
type ledgerLimits struct {
	First   int64  `bun:"first_block"`
	Target  *int64 `bun:"target"` // nil if there is none yet
	Current bool   `bun:"current"`
}

// begin locks the ledger until the transaction ends and reads how far it may be
// extended. It returns false if there is nothing to do.
func (e *extending) begin(ctx context.Context) (found bool, err error) {
	err = e.tx.NewSelect().Model(&e.row).Comment("privacy.lock").Where("chain = ?", e.code).For("UPDATE SKIP LOCKED").Scan(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	// A separate statement, so that it sees undos that committed before the
	// lock.
	e.limits, err = e.readLimits(ctx)
	return e.limits.Target != nil && e.limits.Current, err
}

// readLimits reads the newest visible block of the finalized tier, and whether
// the rows that the ledger depends on are of the current versions.
func (r ledgerReader) readLimits(ctx context.Context) (l ledgerLimits, err error) {
	err = r.tx.NewRaw(`/* privacy.target */
		SELECT c.first_block, CASE WHEN least(c.finalized_block, seen.last) >= c.first_block THEN least(c.finalized_block, seen.last) END AS target,
			(SELECT count(*) = 2 FROM deriver_versions v WHERE v.chain = c.chain AND (v.fact, v.version) IN (('privacy_events', ?1), ('transfers', ?2))) AS current
		FROM index_checkpoints c CROSS JOIN LATERAL (
			SELECT coalesce(min(from_block) - 1, c.block) AS last FROM index_ranges WHERE chain = c.chain AND state <> 'ready'
		) seen WHERE c.chain = ?0 AND c.finalized_block IS NOT NULL`, r.code, facts.Versions["privacy_events"], facts.Versions["transfers"]).Scan(ctx, &l)
	if errors.Is(err, sql.ErrNoRows) {
		return ledgerLimits{}, nil
	}
	return l, err
}

// extend adds one step.
func (e *extending) extend(ctx context.Context, about int) (done privacy.LedgerProgress, err error) {
	target := *e.limits.Target
	through := e.limits.First - 1
	if e.row.Block != nil {
		through = int64(*e.row.Block)
	} else if err := e.clear(ctx); err != nil {
		return done, err
	}
	span, err := e.next(ctx, through, target, e.row.FirstBlock == nil, about)
	if err != nil {
		return done, err
	}
	if span.to <= through {
		return done, e.stop(ctx, span)
	}
	step, settings, err := e.step(ctx, span)
	if err != nil {
		return done, err
	}
	if err := e.fold(ctx, step, settings); err != nil {
		return done, err
	}
	return privacy.LedgerProgress{Through: uint64(span.to), More: span.to < target && !span.blocked, Advanced: true}, nil
}

// stop publishes the hours that ended before the block at which the ledger stops,
// unless they are published.
func (e *extending) stop(ctx context.Context, span stepSpan) error {
	if span.blocked {
		until, err := e.timestamp(ctx, span.to+1)
		if err != nil {
			return err
		}
		if ledger := ledgerFrom(&e.row); until != nil && ledger.Due(*until) {
			return e.fold(ctx, privacy.LedgerStep{Until: until}, nil)
		}
	}
	return e.check(ctx)
}

// fold extends the ledger by a step and stores it.
func (e *extending) fold(ctx context.Context, step privacy.LedgerStep, settings []privacy.FeeSetting) error {
	state, err := e.state(ctx, &e.row, step, settings)
	if err != nil {
		return err
	}
	changes, err := privacy.Fold(state, step)
	if err != nil {
		return err
	}
	return e.write(ctx, changes)
}

// ledgerTables are the tables of rows that depend on a ledger.
var ledgerTables = []bun.Ident{
	"privacy_counts", "privacy_wallets", "privacy_assets", "privacy_points", "privacy_point_assets",
	"privacy_buckets", "privacy_bucket_flows", "privacy_bucket_fees",
}

// clear deletes the rows of a ledger that is not valid.
func (e *extending) clear(ctx context.Context) error {
	for _, table := range ledgerTables {
		if _, err := e.tx.NewRaw("/* privacy.clear */ DELETE FROM ? WHERE chain = ?", table, e.code).Exec(ctx); err != nil {
			return err
		}
	}
	e.row = model.PrivacyLedger{
		Chain: e.row.Chain, Target: e.row.Target, CheckedAt: e.row.CheckedAt, MaterializedAt: e.row.MaterializedAt,
	}
	return nil
}

// check records that the ledger was compared with the finalized blocks, unless
// that is known.
func (e *extending) check(ctx context.Context) error {
	target := model.BlockNumber(*e.limits.Target)
	if e.row.Target != nil && *e.row.Target == target && e.row.CheckedAt != nil && e.now.Sub(*e.row.CheckedAt) < recheck {
		return nil
	}
	_, err := e.tx.NewUpdate().Model((*model.PrivacyLedger)(nil)).Comment("privacy.check").
		Set("target = ?", target).Set("checked_at = ?", e.now).Where("chain = ?", e.code).Exec(ctx)
	return err
}

// write stores the changes of a step and moves the ledger on.
func (e *extending) write(ctx context.Context, changes *privacy.LedgerChanges) error {
	at := e.materialized(len(changes.Points) > 0)
	rows, err := e.rows(changes, at)
	if err != nil {
		return err
	}
	if err := rows.write(ctx, e.tx); err != nil {
		return err
	}
	failpoint.Hit(failpoint.LedgerRows)
	row := ledgerModel(e.row.Chain, &changes.Ledger)
	row.Target, row.CheckedAt, row.MaterializedAt = new(model.BlockNumber(*e.limits.Target)), &e.now, &at
	_, err = e.tx.NewUpdate().Model(&row).Comment("privacy.move").WherePK().Exec(ctx)
	failpoint.Hit(failpoint.LedgerMoved)
	return err
}

// materialized returns the time of a change. It never decreases, and every step
// with points is of a later second than all before it: clients ask for points
// that are newer than a time in seconds.
func (e *extending) materialized(points bool) time.Time {
	at, last := e.now, e.row.MaterializedAt
	if last == nil || last.After(at.Add(clockSkew)) {
		return at
	}
	if points {
		last = new(last.Truncate(time.Second).Add(time.Second))
	}
	if at.Before(*last) {
		return *last
	}
	return at
}
