package repo

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"maps"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"
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

// transactionSettings are the ReaderSettings that are not set by beginning a
// transaction.
func transactionSettings() map[string]string {
	settings := ReaderSettings()
	maps.DeleteFunc(settings, func(name, _ string) bool { return strings.HasPrefix(name, "default_transaction_") })
	return settings
}

// readConnector opens connections for reads of requests. A transaction on one of
// them sees one snapshot and cannot write. Plans are generic: planning a
// statement over thirty partitions takes longer than running it.
func readConnector(config *pgx.ConnConfig) driver.Connector {
	conn := readConfig(config)
	if conn.AfterConnect == nil {
		maps.Copy(conn.RuntimeParams, ReaderSettings())
		return stdlib.GetConnector(*conn)
	}
	basic := conn.AfterConnect
	conn.AfterConnect = func(ctx context.Context, conn *pgconn.PgConn) error {
		if err := basic(ctx, conn); err != nil {
			return err
		}
		_, err := conn.Exec(ctx, "/* pool.reads */ "+setConfig(ReaderSettings(), false)).ReadAll()
		return err
	}
	return stdlib.GetConnector(*conn)
}

// readConfig returns the configuration of connections for reads: their bytes are
// counted, and a request that times out cancels its statement.
func readConfig(config *pgx.ConnConfig) *pgx.ConnConfig {
	conn := config.Copy()
	conn.DialFunc = counted(conn.DialFunc)
	conn.BuildContextWatcherHandler = func(conn *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.CancelRequestContextWatcherHandler{Conn: conn, DeadlineDelay: time.Second}
	}
	return conn
}

// newReader returns bun on connections for reads.
func newReader(reader *sql.DB, conns int) *bun.DB {
	reader.SetMaxOpenConns(conns)
	reader.SetMaxIdleConns(conns)
	reader.SetConnMaxIdleTime(maxIdle)
	reader.SetConnMaxLifetime(maxLife)
	return bun.NewDB(reader, pgdialect.New())
}

// maxLife is how long a connection for reads is used.
const maxLife = time.Hour

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
