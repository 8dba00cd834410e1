package repo

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain/account"
)

// quotaClock is the time in nanoseconds that a statement goes by: the
// database's, which all processes share, unless one is given.
const quotaClock = `coalesce($1::bigint, (extract(epoch FROM clock_timestamp()) * 1000000000)::bigint)`

// QuotasBy are the meters of a database by a given clock. It is for tests in
// which time stands still or is long.
type QuotasBy struct {
	*DB
	Now func() time.Time
}

// TakeQuotas implements account.QuotaStore.
func (q QuotasBy) TakeQuotas(ctx context.Context, takes []account.QuotaTake) ([]account.QuotaTaken, time.Time, error) {
	return q.takeQuotas(ctx, new(q.Now().UnixNano()), takes)
}

// ReadQuotas implements account.QuotaStore.
func (q QuotasBy) ReadQuotas(ctx context.Context, meters []account.Metered) ([]account.Meter, time.Time, error) {
	return q.readQuotas(ctx, new(q.Now().UnixNano()), meters)
}

// ForgetQuotas is that of DB.
func (q QuotasBy) ForgetQuotas(ctx context.Context, idle time.Duration, most int) (forgotten int, err error) {
	return q.forgetQuotas(ctx, new(q.Now().UnixNano()), idle, most)
}

// ForgetQuotas deletes at most so many meters that have owed nothing for a
// while: an absent one says the same.
func (db *DB) ForgetQuotas(ctx context.Context, idle time.Duration, most int) (forgotten int, err error) {
	return db.forgetQuotas(ctx, nil, idle, most)
}

func (db *DB) forgetQuotas(ctx context.Context, now *int64, idle time.Duration, most int) (forgotten int, err error) {
	// A scan of the whole table: an index on what every take changes would cost
	// more. It waits for no take, so that none of them waits for it in a circle.
	tag, err := db.pool.Exec(ctx, `/* quota.forget */
		DELETE FROM quotas WHERE ctid IN (
			SELECT ctid FROM quotas WHERE at + debt / budget < (SELECT `+quotaClock+`) - $2::bigint LIMIT $3 FOR UPDATE SKIP LOCKED)`,
		now, int64(idle), most)
	return int(tag.RowsAffected()), outage(err)
}

// ReadQuotas implements account.QuotaStore by the database's clock.
func (db *DB) ReadQuotas(ctx context.Context, meters []account.Metered) ([]account.Meter, time.Time, error) {
	return db.readQuotas(ctx, nil, meters)
}

func (db *DB) readQuotas(ctx context.Context, now *int64, meters []account.Metered) ([]account.Meter, time.Time, error) {
	at, stored, err := db.storedMeters(ctx, now, meters)
	if err != nil {
		return nil, time.Time{}, outage(err)
	}
	read := make([]account.Meter, len(meters))
	for i, m := range meters {
		read[i] = stored[m].Meter
	}
	return read, at, nil
}

// storedMeters returns the meters that are there, and the time.
func (db *DB) storedMeters(ctx context.Context, now *int64, meters []account.Metered) (time.Time, map[account.Metered]account.QuotaTaken, error) {
	kinds, subjects, classes := meteredColumns(meters)
	// Each row by the primary key.
	rows, err := db.pool.Query(ctx, `/* quota.read */
		SELECT now, kind, subject, class, at, debt, 0::bigint, 0::bigint
		FROM (SELECT `+quotaClock+` AS now) AS clock LEFT JOIN (
			unnest($2::text[], $3::text[], $4::text[]) AS asked (kind, subject, class) JOIN quotas USING (kind, subject, class)
		) ON true`,
		pgx.QueryExecModeCacheStatement, now, kinds, subjects, classes)
	if err != nil {
		return time.Time{}, nil, err
	}
	return readTaken(rows)
}

// readTaken reads the time and meters; one row of the time alone means none.
func readTaken(rows pgx.Rows) (now time.Time, taken map[account.Metered]account.QuotaTaken, err error) {
	var (
		clock                       int64
		kind, subject, class        *string
		at, debt, granted, advanced *int64
	)
	taken = map[account.Metered]account.QuotaTaken{}
	_, err = pgx.ForEachRow(rows, []any{&clock, &kind, &subject, &class, &at, &debt, &granted, &advanced}, func() error {
		if kind != nil {
			taken[account.Metered{Kind: account.Kind(*kind), Subject: *subject, Class: account.Class(*class)}] = account.QuotaTaken{
				Granted: int(*granted), Advance: int(*advanced), Meter: account.Meter{At: *at, Debt: *debt},
			}
		}
		return nil
	})
	return time.Unix(0, clock), taken, err
}
