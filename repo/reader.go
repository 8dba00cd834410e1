package repo

import (
	"context"
	"maps"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/pgxpool"
)

// readTimeout is when the database gives up a read by itself. Requests have
// shorter budgets; this is for those whose process is gone.
const readTimeout = "15s"

// ReaderSettings are the settings of the connections that requests read
// through.
func ReaderSettings() map[string]string {
	return map[string]string{
		"default_transaction_isolation": "repeatable read",
		"default_transaction_read_only": "on",
		"statement_timeout":             readTimeout,
		"jit":                           "off",
		"plan_cache_mode":               "force_generic_plan",
		// A page follows an index in its order, however many rows are behind it
		// and however few its table has by the statistics.
		"enable_bitmapscan": "off",
		"enable_seqscan":    "off",
	}
}

// openReader opens the connections that requests read through. Whatever is
// sent at once on one of them is read in one moment and cannot write, and a
// request that runs out of time takes its statement with it. Statements are
// prepared, and their plans do not depend on the arguments: to plan a statement
// over thirty ranges takes longer than to run it.
func openReader(ctx context.Context, config *pgxpool.Config) (*pgxpool.Pool, error) {
	config = config.Copy()
	maps.Copy(config.ConnConfig.RuntimeParams, ReaderSettings())
	config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeCacheStatement
	config.ConnConfig.BuildContextWatcherHandler = func(conn *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.CancelRequestContextWatcherHandler{Conn: conn, DeadlineDelay: time.Second}
	}
	return pgxpool.NewWithConfig(ctx, config)
}

// look sends statements at once and reads their answers in one moment: what
// one of them shows, all of them see. Each statement is queued with what
// becomes of its rows:
//
//	err := db.look(ctx, func(b *pgx.Batch) {
//		b.Queue(sql, arguments...).Query(func(rows pgx.Rows) error { … })
//	})
func (db *DB) look(ctx context.Context, queue func(*pgx.Batch)) error {
	var batch pgx.Batch
	queue(&batch)
	return readFailure(ctx, db.reader.SendBatch(ctx, &batch).Close())
}

// collect runs one statement and returns what scan makes of its rows.
func collect[T any](ctx context.Context, db *DB, scan pgx.RowToFunc[T], sql string, arguments ...any) ([]T, error) {
	rows, err := db.reader.Query(ctx, sql, arguments...)
	if err != nil {
		return nil, readFailure(ctx, err)
	}
	list, err := pgx.CollectRows(rows, scan)
	return list, readFailure(ctx, err)
}

// readFailure says why a read failed.
func readFailure(ctx context.Context, err error) error { return Failure(ctx, err) }

// RowsFor returns how many rows a statement asks for that needs limit rows and
// one more. It is one of a few numbers, because it stands in the statement's
// text: the planner must know that the list is short, and few texts are few
// prepared statements. What is read too much is cut off by domain.CutPage.
func RowsFor(limit int) int {
	for _, rows := range []int{2, 11, 26, 51, 101, 201, 501} {
		if rows > limit {
			return rows
		}
	}
	return 1001
}

func rowsFor(limit int) int { return RowsFor(limit) }
