package repo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
	"astrolabe/domain/account"
)

// StoreUses implements account.UsageStore. The counts come last: their rows are
// those for which other processes wait.
func (db *DB) StoreUses(ctx context.Context, counts []account.UsageCount, recent []account.Use) error {
	tx, err := db.pool.Begin(ctx)
	if err != nil {
		return notStored(err)
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }() // does nothing after a commit
	if err := addUses(ctx, tx, recent); err != nil {
		return notStored(err)
	}
	if err := addCounts(ctx, tx, counts); err != nil {
		return notStored(err)
	}
	// A commit that fails may have happened, so it is not called an outage.
	if err := tx.Commit(ctx); err != nil {
		return fmt.Errorf("store uses: %w", err)
	}
	return nil
}

// notStored tells of a failure before the commit. The time limit is that of
// the write itself, so its end means that the database is slow.
func notStored(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return domain.Unavailable("the database", retryOutage, err)
	}
	return outage(err)
}

func addUses(ctx context.Context, tx pgx.Tx, uses []account.Use) error {
	n := len(uses)
	at, took, status := make([]time.Time, n), make([]int64, n), make([]int16, n)
	var workspaces, keys, routes, methods, classes, codes, ids []string
	for i, u := range uses {
		at[i], took[i], status[i] = u.At, u.Took.Microseconds(), int16(u.Status) //nolint:gosec // HTTP's have three digits
		workspaces, keys, routes = append(workspaces, u.Workspace), append(keys, u.PublicID), append(routes, u.Route)
		methods, classes = append(methods, u.Method), append(classes, string(u.Class))
		codes, ids = append(codes, string(u.Code)), append(ids, u.RequestID)
	}
	_, err := tx.Exec(ctx, `/* usage.add */
		INSERT INTO usage_requests (at, workspace, public_id, route, method, class, status, code, request_id, took_us)
		SELECT at, workspace, public_id, route, method, class, status, code, request_id, took_us
		FROM unnest($1::timestamptz[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[],
			$7::smallint[], $8::text[], $9::text[], $10::bigint[])
			AS u (at, workspace, public_id, route, method, class, status, code, request_id, took_us)`,
		pgx.QueryExecModeCacheStatement, at, workspaces, keys, routes, methods, classes, status, codes, ids, took)
	return err
}

func addCounts(ctx context.Context, tx pgx.Tx, counts []account.UsageCount) error {
	n := len(counts)
	hours, last, requests := make([]time.Time, n), make([]time.Time, n), make([]int64, n)
	var workspaces, keys, routes, classes, codes []string
	for i, c := range counts {
		hours[i], last[i], requests[i] = c.Hour, c.LastAt, c.Requests
		workspaces, keys, routes = append(workspaces, c.Workspace), append(keys, c.PublicID), append(routes, c.Route)
		classes, codes = append(classes, string(c.Class)), append(codes, string(c.Code))
	}
	// By the primary key. All processes lock rows in its order, so that none
	// waits in a circle.
	_, err := tx.Exec(ctx, `/* usage.count */
		INSERT INTO usage_hours AS h (workspace, hour, public_id, route, class, code, requests, last_at)
		SELECT workspace, hour, public_id, route, class, code, requests, last_at
		FROM unnest($1::text[], $2::timestamptz[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::timestamptz[])
			AS c (workspace, hour, public_id, route, class, code, requests, last_at)
		ORDER BY workspace COLLATE "C", hour, public_id COLLATE "C", route COLLATE "C", class COLLATE "C", code COLLATE "C"
		ON CONFLICT (workspace, hour, public_id, route, class, code) DO UPDATE
		SET requests = h.requests + excluded.requests, last_at = greatest(h.last_at, excluded.last_at)`,
		pgx.QueryExecModeCacheStatement, workspaces, hours, keys, routes, classes, codes, requests, last)
	return err
}

const (
	// By usage_requests_day.
	forgetRequests = `/* usage.forget_requests */
		DELETE FROM usage_requests WHERE ctid = ANY (ARRAY(
			SELECT ctid FROM usage_requests
			WHERE (at AT TIME ZONE 'UTC')::date < ($1::timestamptz AT TIME ZONE 'UTC')::date
			ORDER BY (at AT TIME ZONE 'UTC')::date LIMIT $2))`
	// By usage_hours_day.
	forgetHours = `/* usage.forget_hours */
		DELETE FROM usage_hours WHERE ctid = ANY (ARRAY(
			SELECT ctid FROM usage_hours
			WHERE (hour AT TIME ZONE 'UTC')::date < ($1::timestamptz AT TIME ZONE 'UTC')::date
			ORDER BY (hour AT TIME ZONE 'UTC')::date LIMIT $2))`
)

// ForgetRequests deletes at most so many of the recent requests that are from
// UTC days before that of a time, the oldest days first.
func (db *DB) ForgetRequests(ctx context.Context, before time.Time, most int) (forgotten int, err error) {
	tag, err := db.pool.Exec(ctx, forgetRequests, before, most)
	return int(tag.RowsAffected()), outage(err)
}

// ForgetUsage deletes at most so many of the counts that are from UTC days
// before that of a time, the oldest days first.
func (db *DB) ForgetUsage(ctx context.Context, before time.Time, most int) (forgotten int, err error) {
	tag, err := db.pool.Exec(ctx, forgetHours, before, most)
	return int(tag.RowsAffected()), outage(err)
}
