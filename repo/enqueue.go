package repo

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
)

// newEnqueuer returns a client of the job queue that runs no jobs.
func newEnqueuer(pool *pgxpool.Pool) (*river.Client[pgx.Tx], error) {
	client, err := river.NewClient(riverpgxv5.New(pool), &river.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, fmt.Errorf("prepare the job queue: %w", err)
	}
	return client, nil
}

// Work is queued work: its arguments, as JSON, and the name of its kind.
type Work interface{ Kind() string }

// Enqueue queues work when the transaction commits.
func (tx Tx) Enqueue(ctx context.Context, work Work) error { return tx.enqueue(ctx, work, nil) }

// EnqueueOnce is Enqueue, unless the same work was queued in the same period.
func (tx Tx) EnqueueOnce(ctx context.Context, work Work, period time.Duration) error {
	return tx.enqueue(ctx, work, &river.InsertOpts{UniqueOpts: river.UniqueOpts{ByArgs: true, ByPeriod: period}})
}

func (tx Tx) enqueue(ctx context.Context, work Work, options *river.InsertOpts) error {
	err := tx.conn.Raw(func(driver any) error {
		_, err := tx.queue.InsertTx(ctx, openTx{driver.(pgxConn).Conn()}, work, options)
		return err
	})
	if err != nil {
		return fmt.Errorf("queue %s: %w", work.Kind(), err)
	}
	return nil
}

// openTx lends River a transaction that bun has begun and will end.
type openTx struct{ *connection }

// connection is a connection under a name that does not hide the method Conn.
type connection = pgx.Conn

var errNotYours = errors.New("repo: the transaction belongs to its beginner")

// Begin refuses: inserting a job needs no savepoint.
func (openTx) Begin(context.Context) (pgx.Tx, error) { return nil, errNotYours }

// Commit refuses.
func (openTx) Commit(context.Context) error { return errNotYours }

// Rollback refuses.
func (openTx) Rollback(context.Context) error { return errNotYours }

// LargeObjects returns none.
func (openTx) LargeObjects() pgx.LargeObjects { return pgx.LargeObjects{} }

// Conn returns the connection.
func (t openTx) Conn() *pgx.Conn { return t.connection }
