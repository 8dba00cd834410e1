package accounts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"astrolabe/domain/account"
	"astrolabe/repo"
	"astrolabe/repo/model"
)

// Usage stores the usage of workspaces.
type Usage struct{ db *repo.DB }

var _ account.UsageStore = Usage{}

// NewUsage returns the repository of usage.
func NewUsage(db *repo.DB) Usage { return Usage{db} }

// StoreUses implements account.UsageStore. The counts come last, because other
// processes wait for locks on their rows.
func (r Usage) StoreUses(ctx context.Context, counts []account.UsageCount, recent []account.Use) error {
	tx, err := r.db.Write().BeginTx(ctx, nil)
	if err != nil {
		return notStored(err)
	}
	defer func() { _ = tx.Rollback() }() // does nothing after a commit
	if err := addRequests(ctx, tx, recent); err != nil {
		return notStored(err)
	}
	if err := addCounts(ctx, tx, counts); err != nil {
		return notStored(err)
	}
	// A commit that returns an error may still have happened, so it is not
	// reported as an outage, which would be retried.
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("store uses: %w", err)
	}
	return nil
}

// notStored classifies a failure before the commit. The time limit is the
// write's own, so exceeding it means that the database is slow.
func notStored(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return repo.Unavailable(err)
	}
	return repo.Outage(err)
}

func addRequests(ctx context.Context, tx bun.Tx, uses []account.Use) error {
	if len(uses) == 0 {
		return nil
	}
	rows := make([]model.UsageRequest, len(uses))
	for i, u := range uses {
		rows[i] = model.UsageRequest{
			At: u.At, Workspace: u.Workspace, PublicID: u.PublicID, Route: u.Route, Method: u.Method, Class: string(u.Class),
			Status: int64(u.Status), Code: string(u.Code), RequestID: u.RequestID, TookUS: u.Took.Microseconds(),
		}
	}
	_, err := tx.NewInsert().Model(&rows).Comment("usage.add").Exec(ctx)
	return err
}

func addCounts(ctx context.Context, tx bun.Tx, counts []account.UsageCount) error {
	if len(counts) == 0 {
		return nil
	}
	rows := make([]model.UsageHour, len(counts))
	for i, c := range counts {
		rows[i] = model.UsageHour{
			Workspace: c.Workspace, Hour: c.Hour, PublicID: c.PublicID, Route: c.Route, Class: string(c.Class), Code: string(c.Code),
			Requests: c.Requests, LastAt: c.LastAt,
		}
	}
	// All processes lock rows in the order of the primary key, which prevents
	// deadlocks. Its text columns have collation "C", which is how Go compares
	// strings.
	slices.SortFunc(rows, func(a, b model.UsageHour) int {
		return cmp.Or(cmp.Compare(a.Workspace, b.Workspace), a.Hour.Compare(b.Hour), cmp.Compare(a.PublicID, b.PublicID),
			cmp.Compare(a.Route, b.Route), cmp.Compare(a.Class, b.Class), cmp.Compare(a.Code, b.Code))
	})
	_, err := tx.NewInsert().Model(&rows).Comment("usage.count").
		On("CONFLICT (workspace, hour, public_id, route, class, code) DO UPDATE").
		Set("requests = uh.requests + excluded.requests").Set("last_at = greatest(uh.last_at, excluded.last_at)").Exec(ctx)
	return err
}

const (
	// By usage_requests_day.
	forgetRequests = `/* usage.forget_requests */
		DELETE FROM usage_requests WHERE ctid = ANY (ARRAY(
			SELECT ctid FROM usage_requests
			WHERE (at AT TIME ZONE 'UTC')::date < (?::timestamptz AT TIME ZONE 'UTC')::date
			ORDER BY (at AT TIME ZONE 'UTC')::date LIMIT ?))`
	// By usage_hours_day.
	forgetHours = `/* usage.forget_hours */
		DELETE FROM usage_hours WHERE ctid = ANY (ARRAY(
			SELECT ctid FROM usage_hours
			WHERE (hour AT TIME ZONE 'UTC')::date < (?::timestamptz AT TIME ZONE 'UTC')::date
			ORDER BY (hour AT TIME ZONE 'UTC')::date LIMIT ?))`
)

// ForgetRequests deletes at most most requests from UTC days before the given
// time's day, the oldest days first.
func (r Usage) ForgetRequests(ctx context.Context, before time.Time, most int) (forgotten int, err error) {
	return repo.Changed(r.db.Write().NewRaw(forgetRequests, before, most).Exec(ctx))
}

// ForgetUsage deletes at most most counts from UTC days before the given time's
// day, the oldest days first.
func (r Usage) ForgetUsage(ctx context.Context, before time.Time, most int) (forgotten int, err error) {
	return repo.Changed(r.db.Write().NewRaw(forgetHours, before, most).Exec(ctx))
}
