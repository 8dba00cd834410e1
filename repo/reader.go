package repo

import (
	"database/sql"
	"maps"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
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

// openReader opens the connections that requests read through. A transaction on
// one of them sees one moment and cannot write, and a request that runs out of
// time takes its statement with it. Plans do not depend on the arguments: to
// plan a statement over thirty ranges takes longer than to run it.
func openReader(config *pgxpool.Config) *sql.DB {
	conn := config.ConnConfig.Copy()
	maps.Copy(conn.RuntimeParams, ReaderSettings())
	conn.BuildContextWatcherHandler = func(conn *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.CancelRequestContextWatcherHandler{Conn: conn, DeadlineDelay: time.Second}
	}
	reader := stdlib.OpenDB(*conn)
	reader.SetMaxOpenConns(int(config.MaxConns))
	reader.SetMaxIdleConns(int(config.MaxConns))
	reader.SetConnMaxIdleTime(config.MaxConnIdleTime)
	reader.SetConnMaxLifetime(config.MaxConnLifetime)
	return reader
}

// RowsFor returns how many rows a statement asks for that needs limit rows and
// one more. It is one of a few numbers, because it stands in the statement's
// text: the planner must know that the list is short, and few texts are few
// prepared statements. domain.CutPage removes the surplus rows.
func RowsFor(limit int) int {
	for _, rows := range []int{2, 11, 26, 51, 101, 201, 501} {
		if rows > limit {
			return rows
		}
	}
	return 1001
}
