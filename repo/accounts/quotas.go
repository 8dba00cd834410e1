package accounts

import (
	"cmp"
	"context"
	"slices"
	"time"

	"astrolabe/domain/account"
	"astrolabe/repo"
	"astrolabe/repo/model"
)

// Quotas stores the state of rate limits.
type Quotas struct {
	db *repo.DB
	// now overrides the time that statements use, in nanoseconds; nil means the
	// database's clock, which all processes share.
	now func() *int64
}

var _ account.QuotaStore = Quotas{}

// NewQuotas returns the repository of rate limits. It uses the database's
// clock.
func NewQuotas(db *repo.DB) Quotas { return Quotas{db, func() *int64 { return nil }} }

// WithClock returns the same repository with another clock, for tests.
func (r Quotas) WithClock(now func() time.Time) Quotas {
	return Quotas{r.db, func() *int64 { return new(now().UnixNano()) }}
}

// databaseClock is the database's time in nanoseconds, quotaClock the time that
// a statement uses.
const (
	databaseClock = `(extract(epoch FROM clock_timestamp()) * 1000000000)::bigint`
	quotaClock    = `coalesce($1::bigint, ` + databaseClock + `)`
)

// The expressions of account.Rate in SQL, for the row q and the take in
// excluded. $2 is the window, which is the debt of one unit of a budget.
const (
	quotaElapsed = `(excluded.at - q.at)`
	quotaAhead   = `(` + quotaElapsed + ` < -$2)`
	quotaDebt    = `(CASE WHEN ` + quotaElapsed + ` <= 0 THEN q.debt
		WHEN ` + quotaElapsed + ` > q.debt / excluded.budget THEN 0
		ELSE q.debt - ` + quotaElapsed + ` * excluded.budget END)`
	quotaEach    = `((excluded.debt - excluded.advance * $2) / excluded.granted)`
	quotaGranted = `greatest(0, least(excluded.granted, (excluded.budget * $2 - ` + quotaDebt + `) / ` + quotaEach + `))`
	quotaAdvance = `(CASE WHEN ` + quotaDebt + ` + excluded.debt <= excluded.budget * $2 / 2 THEN excluded.advance ELSE 0 END)`
)

// takeQuotas takes from meters by the primary key. Without a row, the whole
// budget is available; otherwise what is left of it.
const takeQuotas = `/* quota.take */
	WITH clock AS MATERIALIZED (SELECT ` + quotaClock + ` AS now), taken AS (
		INSERT INTO quotas AS q (kind, subject, class, budget, at, debt, granted, advance)
		SELECT kind, subject, class, budget, now, (fresh * cost + given) * $2::bigint, fresh, given
		FROM clock, unnest($3::text[], $4::text[], $5::text[], $6::bigint[], $7::bigint[], $8::bigint[], $9::bigint[]) WITH ORDINALITY
			AS asked (kind, subject, class, budget, cost, count, advance, place),
			LATERAL (SELECT least(count, budget / cost) AS fresh) AS untouched,
			LATERAL (SELECT CASE WHEN fresh * cost + advance <= budget / 2 THEN advance ELSE 0 END AS given) AS ahead
		ORDER BY place
		ON CONFLICT (kind, subject, class) DO UPDATE SET
			budget = excluded.budget,
			at = CASE WHEN ` + quotaAhead + ` THEN excluded.at ELSE greatest(q.at, excluded.at) END,
			debt = ` + quotaDebt + ` + ` + quotaGranted + ` * ` + quotaEach + ` + ` + quotaAdvance + ` * $2,
			granted = ` + quotaGranted + `,
			advance = ` + quotaAdvance + `
		WHERE ` + quotaGranted + ` > 0 OR ` + quotaAhead + `
		RETURNING kind, subject, class, at, debt, granted, advance)
	SELECT now, kind, subject, class, at, debt, granted, advance FROM clock LEFT JOIN taken ON true`

// readQuotas reads each meter by the primary key.
const readQuotas = `/* quota.read */
	SELECT now, kind, subject, class, at, debt, 0::bigint AS granted, 0::bigint AS advance
	FROM (SELECT ` + quotaClock + ` AS now) AS clock LEFT JOIN (
		unnest($2::text[], $3::text[], $4::text[]) AS asked (kind, subject, class) JOIN quotas USING (kind, subject, class)
	) ON true`

// meterRow is the time and a meter; a row with only the time means that there
// is no meter.
type meterRow struct {
	Now     int64   `bun:"now"`
	Kind    *string `bun:"kind"`
	Subject *string `bun:"subject"`
	Class   *string `bun:"class"`
	At      *int64  `bun:"at"`
	Debt    *int64  `bun:"debt"`
	Granted *int64  `bun:"granted"`
	Advance *int64  `bun:"advance"`
}

// TakeQuotas implements account.QuotaStore. Row locks serialise the takes of
// all processes. A denied take changes nothing, so a caller cannot cause more
// writes than its budget has units.
func (r Quotas) TakeQuotas(ctx context.Context, takes []account.QuotaTake) ([]account.QuotaTaken, time.Time, error) {
	// All processes lock rows in the same order, which prevents deadlocks.
	ordered := slices.SortedFunc(slices.Values(takes), func(a, b account.QuotaTake) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Subject, b.Subject), cmp.Compare(a.Class, b.Class))
	})
	var (
		limits, costs, counts, advances []int64
		meters                          []account.Metered
	)
	for _, t := range ordered {
		meters = append(meters, t.Metered)
		limits, costs = append(limits, int64(t.Limit)), append(costs, int64(t.Cost))
		counts, advances = append(counts, int64(t.Count)), append(advances, int64(t.Advance))
	}
	kinds, subjects, classes := meteredColumns(meters)
	taken := make(map[account.Metered]account.QuotaTaken, len(takes))
	now, err := r.meters(ctx, taken, takeQuotas, r.now(), int64(account.Window), kinds, subjects, classes, limits, costs, counts, advances)
	if err != nil {
		return nil, time.Time{}, err
	}
	// Denied takes are not among the changed rows.
	denied := slices.DeleteFunc(meters, func(m account.Metered) bool { _, granted := taken[m]; return granted })
	if len(denied) > 0 {
		kinds, subjects, classes := meteredColumns(denied)
		if _, err := r.meters(ctx, taken, readQuotas, nil, kinds, subjects, classes); err != nil {
			return nil, time.Time{}, err
		}
	}
	answers := make([]account.QuotaTaken, len(takes))
	for i, t := range takes {
		answers[i] = taken[t.Metered]
	}
	return answers, now, nil
}

// ReadQuotas implements account.QuotaStore.
func (r Quotas) ReadQuotas(ctx context.Context, meters []account.Metered) ([]account.Meter, time.Time, error) {
	kinds, subjects, classes := meteredColumns(meters)
	stored := make(map[account.Metered]account.QuotaTaken, len(meters))
	now, err := r.meters(ctx, stored, readQuotas, r.now(), kinds, subjects, classes)
	if err != nil {
		return nil, time.Time{}, err
	}
	read := make([]account.Meter, len(meters))
	for i, m := range meters {
		read[i] = stored[m].Meter
	}
	return read, now, nil
}

// meters runs a statement that returns meterRows, adds the meters to into and
// returns the time.
func (r Quotas) meters(ctx context.Context, into map[account.Metered]account.QuotaTaken, sql string, arguments ...any) (time.Time, error) {
	rows, err := repo.Select[meterRow](ctx, r.db.Write(), sql, arguments...)
	if err != nil {
		return time.Time{}, err
	}
	var now time.Time
	for _, row := range rows {
		now = time.Unix(0, row.Now)
		if row.Kind == nil {
			continue
		}
		into[account.Metered{Kind: account.Kind(*row.Kind), Subject: *row.Subject, Class: account.Class(*row.Class)}] = account.QuotaTaken{
			Granted: int(*row.Granted), Advance: int(*row.Advance), Meter: account.Meter{At: *row.At, Debt: *row.Debt},
		}
	}
	return now, nil
}

func meteredColumns(meters []account.Metered) (kinds, subjects, classes []string) {
	for _, m := range meters {
		kinds, subjects, classes = append(kinds, string(m.Kind)), append(subjects, m.Subject), append(classes, string(m.Class))
	}
	return kinds, subjects, classes
}

// ReturnQuota implements account.QuotaStore, by the primary key. The remaining
// debt is still paid off over time.
func (r Quotas) ReturnQuota(ctx context.Context, m account.Metered, left int) error {
	_, err := r.db.Write().NewUpdate().Model((*model.Quota)(nil)).Comment("quota.return").
		Set("debt = greatest(0, debt - ?)", int64(left)*int64(account.Window)).
		Where("kind = ? AND subject = ? AND class = ?", m.Kind, m.Subject, m.Class).Exec(ctx)
	return repo.Failure(ctx, err)
}

// ForgetQuotas deletes at most most meters that have had no debt for a while,
// which is the same as having no meter.
//
// It scans the whole table: an index on a column that every take changes would
// cost more. It skips locked rows, which prevents deadlocks with takes.
func (r Quotas) ForgetQuotas(ctx context.Context, idle time.Duration, most int) (forgotten int, err error) {
	return repo.Changed(r.db.Write().NewRaw(`/* quota.forget */
		DELETE FROM quotas WHERE ctid IN (
			SELECT ctid FROM quotas WHERE at + debt / budget < (SELECT coalesce(?::bigint, `+databaseClock+`)) - ?::bigint
			LIMIT ? FOR UPDATE SKIP LOCKED)`, r.now(), int64(idle), most).Exec(ctx))
}
