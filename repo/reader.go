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

// readTimeout is the server's time limit for a read. Requests have shorter
// limits; this one stops reads whose process has died.
const readTimeout = "15s"

// ReaderSettings are the Postgres settings of the connections for reads of
// requests.
func ReaderSettings() map[string]string {
	return map[string]string{
		"default_transaction_isolation": "repeatable read",
		"default_transaction_read_only": "on",
		"statement_timeout":             readTimeout,
		"jit":                           "off",
		"plan_cache_mode":               "force_generic_plan",
		// A page must be read in index order, however many rows match and however
		// few the statistics report.
		"enable_bitmapscan": "off",
		"enable_seqscan":    "off",
	}
}

// openReader opens the connections for reads of requests. A transaction on one
// of them sees one snapshot and cannot write, and a request that times out
// cancels its statement. Plans are generic: planning a statement over thirty
// partitions takes longer than running it.
func openReader(config *pgxpool.Config) *sql.DB {
	conn := config.ConnConfig.Copy()
	maps.Copy(conn.RuntimeParams, ReaderSettings())
	conn.DialFunc = counted(conn.DialFunc)
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

// RowsFor returns the row limit of a statement that needs limit rows and one
// more. It rounds up to one of a few numbers, because the limit is in the
// statement's text: the planner must know that the list is short, and few texts
// mean few prepared statements. domain.CutPage removes the surplus rows.
func RowsFor(limit int) int {
	for _, rows := range []int{2, 11, 26, 51, 101, 201, 501} {
		if rows > limit {
			return rows
		}
	}
	return 1001
}
