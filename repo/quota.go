package repo

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain/account"
)

// The parts of account.Rate in SQL, for the row q and the take that excluded
// holds: $2 is the window, which is what one unit of a budget owes.
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

// TakeQuotas implements account.QuotaStore by the database's clock.
func (db *DB) TakeQuotas(ctx context.Context, takes []account.QuotaTake) ([]account.QuotaTaken, time.Time, error) {
	return db.takeQuotas(ctx, nil, takes)
}

// takeQuotas takes from meters. The row's lock puts the takes of all processes
// in one order. A take that is denied changes nothing, so a caller can cause no
// more writes than its budget has units.
func (db *DB) takeQuotas(ctx context.Context, now *int64, takes []account.QuotaTake) ([]account.QuotaTaken, time.Time, error) {
	// Whoever locks many rows locks them in the same order.
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
	// A new row is what a caller who owes nothing is granted; a row that is
	// there grants what it has left. Both by the primary key.
	rows, err := db.pool.Query(ctx, `/* quota.take */
		WITH clock AS MATERIALIZED (SELECT `+quotaClock+` AS now), taken AS (
			INSERT INTO quotas AS q (kind, subject, class, budget, at, debt, granted, advance)
			SELECT kind, subject, class, budget, now, (fresh * cost + given) * $2::bigint, fresh, given
			FROM clock, unnest($3::text[], $4::text[], $5::text[], $6::bigint[], $7::bigint[], $8::bigint[], $9::bigint[]) WITH ORDINALITY
				AS asked (kind, subject, class, budget, cost, count, advance, place),
				LATERAL (SELECT least(count, budget / cost) AS fresh) AS untouched,
				LATERAL (SELECT CASE WHEN fresh * cost + advance <= budget / 2 THEN advance ELSE 0 END AS given) AS ahead
			ORDER BY place
			ON CONFLICT (kind, subject, class) DO UPDATE SET
				budget = excluded.budget,
				at = CASE WHEN `+quotaAhead+` THEN excluded.at ELSE greatest(q.at, excluded.at) END,
				debt = `+quotaDebt+` + `+quotaGranted+` * `+quotaEach+` + `+quotaAdvance+` * $2,
				granted = `+quotaGranted+`,
				advance = `+quotaAdvance+`
			WHERE `+quotaGranted+` > 0 OR `+quotaAhead+`
			RETURNING kind, subject, class, at, debt, granted, advance)
		SELECT now, kind, subject, class, at, debt, granted, advance FROM clock LEFT JOIN taken ON true`,
		pgx.QueryExecModeCacheStatement, now, int64(account.Window), kinds, subjects, classes, limits, costs, counts, advances)
	if err != nil {
		return nil, time.Time{}, outage(err)
	}
	at, taken, err := readTaken(rows)
	if err != nil {
		return nil, time.Time{}, outage(err)
	}
	denied := slices.DeleteFunc(meters, func(m account.Metered) bool { _, granted := taken[m]; return granted })
	if err := db.addDenied(ctx, denied, taken); err != nil {
		return nil, time.Time{}, outage(err)
	}
	answers := make([]account.QuotaTaken, len(takes))
	for i, t := range takes {
		answers[i] = taken[t.Metered]
	}
	return answers, at, nil
}

// addDenied reads how the meters stand that granted nothing.
func (db *DB) addDenied(ctx context.Context, denied []account.Metered, taken map[account.Metered]account.QuotaTaken) error {
	if len(denied) == 0 {
		return nil
	}
	_, read, err := db.storedMeters(ctx, nil, denied)
	maps.Copy(taken, read)
	return err
}

func meteredColumns(meters []account.Metered) (kinds, subjects, classes []string) {
	for _, m := range meters {
		kinds, subjects, classes = append(kinds, string(m.Kind)), append(subjects, m.Subject), append(classes, string(m.Class))
	}
	return kinds, subjects, classes
}

// ReturnQuota implements account.QuotaStore.
func (db *DB) ReturnQuota(ctx context.Context, m account.Metered, left int) error {
	// By the primary key. Time pays off the rest as before.
	_, err := db.pool.Exec(ctx, `/* quota.return */
		UPDATE quotas SET debt = greatest(0, debt - $4::bigint)
		WHERE kind = $1 AND subject = $2 AND class = $3`,
		string(m.Kind), m.Subject, string(m.Class), int64(left)*int64(account.Window))
	return outage(err)
}
