package privacy

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/uptrace/bun"

	"astrolabe/domain"
	"astrolabe/domain/indexing"
	"astrolabe/domain/privacy"
	"astrolabe/repo"
	"astrolabe/repo/model"
)

// checkStep is about how many events a check of a ledger reads at once.
const checkStep = 100_000

// Check returns the check that compares the ledger of a chain with one that is
// made again from the stored events, in one snapshot. A ledger that is not valid
// is not compared.
func (r Ledgers) Check(c domain.Chain) indexing.Check {
	return indexing.Check{Name: "privacy ledger", Follows: true, Run: func(ctx context.Context, limit int) (findings []indexing.Finding, err error) {
		err = r.db.Write().RunInTx(ctx, repo.Snapshot, func(ctx context.Context, tx bun.Tx) error {
			check := ledgerCheck{ledgerReader: newLedgerReader(tx, c), made: privacy.NewLedgerChanges(), now: time.Now()}
			err := check.run(ctx)
			for _, what := range check.differences {
				findings = append(findings, indexing.Finding{
					Check: "privacy ledger", Block: new(uint64(*check.row.Block)), Detail: what, Repair: indexing.Advice(c).Discard(indexing.Ledgers),
				})
			}
			return err
		})
		return findings[:min(limit, len(findings))], repo.Outage(err)
	}}
}

// ledgerCheck makes a ledger again and compares it with the stored one.
type ledgerCheck struct {
	ledgerReader
	row         model.PrivacyLedger
	made        *privacy.LedgerChanges
	points      int64     // that were compared
	assets      int64     // of points that were compared
	newest      time.Time // materialization of those points
	now         time.Time
	differences []string
}

func (k *ledgerCheck) run(ctx context.Context) error {
	err := k.tx.NewSelect().Model(&k.row).Comment("privacy.ledger").Where("chain = ?", k.code).Scan(ctx)
	if errors.Is(err, sql.ErrNoRows) || err == nil && k.row.Block == nil {
		return nil
	}
	if err != nil {
		return err
	}
	limits, err := k.readLimits(ctx)
	if err != nil || !limits.Current {
		return err
	}
	whole, err := k.rebuild(ctx, limits.First-1)
	if errors.Is(err, indexing.ErrDamaged) { // other checks find it
		return nil
	}
	if err != nil || !whole {
		return err
	}
	return k.compare(ctx)
}

func (k *ledgerCheck) differ(format string, arguments ...any) {
	k.differences = append(k.differences, fmt.Sprintf(format, arguments...))
}

// rebuild makes the ledger again up to its block and compares the points on the
// way. It returns false if that is not possible.
func (k *ledgerCheck) rebuild(ctx context.Context, through int64) (whole bool, err error) {
	end := int64(*k.row.Block)
	for through < end {
		span, err := k.next(ctx, through, end, k.made.Ledger.FirstBlock == nil, checkStep)
		if err != nil {
			return false, err
		}
		if span.to <= through {
			k.differ("the ledger ends at block %d, but block %d has events that could not be read", end, through+1)
			return false, nil
		}
		step, settings, err := k.step(ctx, span)
		if err != nil {
			return false, err
		}
		changes, err := privacy.Fold(k.made.State(settings), step)
		if err == nil {
			err = k.made.Merge(changes)
		}
		if err != nil {
			k.differ("the ledger cannot be made again: %v", err)
			return false, nil
		}
		if err := k.comparePoints(ctx); err != nil {
			return false, err
		}
		through = span.to
	}
	return true, k.stopped(ctx, end)
}

// stopped makes the points again that the ledger published because it stops
// before a block of a later hour.
func (k *ledgerCheck) stopped(ctx context.Context, end int64) error {
	if k.row.Hour == nil {
		return nil
	}
	until, err := k.timestamp(ctx, end+1)
	if err != nil || until == nil {
		return err
	}
	published := min(*until, uint64(*k.row.Hour)+hourSeconds)
	if !k.made.Ledger.Due(published) {
		return nil
	}
	changes, err := privacy.Fold(k.made.State(nil), privacy.LedgerStep{Until: &published})
	if err == nil {
		err = k.made.Merge(changes)
	}
	if err != nil {
		return err
	}
	return k.comparePoints(ctx)
}

const hourSeconds = 3600

// comparePoints compares the points of a step, and forgets them.
func (k *ledgerCheck) comparePoints(ctx context.Context) error {
	points := k.made.Points
	if len(points) == 0 {
		return nil
	}
	rows, err := k.rows(&privacy.LedgerChanges{Points: points}, time.Time{})
	if err != nil {
		return err
	}
	hours := func(q *bun.SelectQuery) *bun.SelectQuery {
		return q.Where("hour BETWEEN ? AND ?", int64(points[0].Hour), int64(points[len(points)-1].Hour))
	}
	point := func(p *model.PrivacyPoint) any {
		if p.MaterializedAt.After(k.newest) {
			k.newest = p.MaterializedAt
		}
		p.MaterializedAt = time.Time{}
		return p.Hour
	}
	if err := compareRows(ctx, k, "privacy_points", rows.points, point, hours); err != nil {
		return err
	}
	k.points, k.assets, k.made.Points = k.points+int64(len(points)), k.assets+int64(len(rows.pointAssets)), nil
	return compareRows(ctx, k, "privacy_point_assets", rows.pointAssets, func(a *model.PrivacyPointAsset) any { return [2]int64{a.Hour, int64(a.Token)} }, hours)
}

// compare compares everything but the points.
func (k *ledgerCheck) compare(ctx context.Context) error {
	want, have := ledgerModel(k.row.Chain, &k.made.Ledger), k.row
	have.Target, have.CheckedAt, have.MaterializedAt = nil, nil, nil
	if !reflect.DeepEqual(want, have) {
		k.differ("the totals of the ledger differ from the events up to block %d", *k.row.Block)
	}
	if err := k.count(ctx); err != nil {
		return err
	}
	k.times()
	rows, err := k.rows(k.made, time.Time{})
	if err != nil {
		return err
	}
	all := func(q *bun.SelectQuery) *bun.SelectQuery { return q }
	type count struct {
		pool    model.ID
		variant model.PoolVariant
	}
	type bucket struct {
		width model.Width
		token model.ID
		start int64
	}
	return errors.Join(
		compareRows(ctx, k, "privacy_counts", rows.counts, func(c *model.PrivacyCount) any { return count{c.Pool, c.Variant} }, all),
		compareRows(ctx, k, "privacy_wallets", rows.wallets, func(w *model.PrivacyWallet) any { return w.Address }, all),
		compareRows(ctx, k, "privacy_assets", rows.assets, func(a *model.PrivacyAsset) any { return [2]model.ID{a.Token, a.Pool} }, all),
		compareRows(ctx, k, "privacy_buckets", rows.buckets, func(b *model.PrivacyBucket) any { return bucket{b.Width, 0, b.Start} }, all),
		compareRows(ctx, k, "privacy_bucket_flows", rows.flows, func(b *model.PrivacyBucketFlow) any { return bucket{b.Width, b.Token, b.Start} }, all),
		compareRows(ctx, k, "privacy_bucket_fees", rows.fees, func(b *model.PrivacyBucketFee) any { return bucket{b.Width, b.Token, b.Start} }, all),
	)
}

// count finds points, and assets of points, of hours that have none.
func (k *ledgerCheck) count(ctx context.Context) error {
	points, err := k.tx.NewSelect().Model((*model.PrivacyPoint)(nil)).Comment("privacy.count_points").Where("chain = ?", k.code).Count(ctx)
	if err != nil {
		return err
	}
	if points != k.points {
		k.differ("the ledger has %d points, but %d hours have ended since the first event", points, k.points)
	}
	assets, err := k.tx.NewSelect().Model((*model.PrivacyPointAsset)(nil)).Comment("privacy.count_point_assets").Where("chain = ?", k.code).Count(ctx)
	if err == nil && assets != k.assets {
		k.differ("the ledger has %d assets of points, but the hours that have ended have %d", assets, k.assets)
	}
	return err
}

// times finds points that are newer than their ledger, and a ledger from the
// future: clients compare these times with those of their copies.
func (k *ledgerCheck) times() {
	made := k.row.MaterializedAt
	switch {
	case made == nil:
		k.differ("the ledger has no time at which it was made")
	case made.After(k.now.Add(clockSkew)):
		k.differ("the ledger was made at %s, which is in the future", made.UTC().Format(time.RFC3339))
	case k.newest.After(*made):
		k.differ("a point was made at %s, after its ledger", k.newest.UTC().Format(time.RFC3339))
	}
}

// compareRows counts the rows that only the stored ledger or only the one that
// was made again has.
func compareRows[M any](ctx context.Context, k *ledgerCheck, table string, made []M, key func(*M) any, where func(*bun.SelectQuery) *bun.SelectQuery) error {
	var stored []M
	if err := where(k.tx.NewSelect().Model(&stored).Comment("privacy.compare").Where("chain = ?", k.code)).Scan(ctx); err != nil {
		return err
	}
	want := make(map[any]*M, len(made))
	for i := range made {
		want[key(&made[i])] = &made[i]
	}
	differing := 0
	for i := range stored {
		id := key(&stored[i])
		if w := want[id]; w == nil || !reflect.DeepEqual(*w, stored[i]) {
			differing++
		}
		delete(want, id)
	}
	if differing += len(want); differing > 0 {
		k.differ("%d rows of %s differ from the events up to block %d", differing, table, *k.row.Block)
	}
	return nil
}
