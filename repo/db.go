package repo

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/riverqueue/river"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"

	"astrolabe/domain/indexing"
	"astrolabe/telemetry"
)

// connectTimeout limits one connection attempt if the URL does not set
// connect_timeout. Without it, a host that drops packets would block startup.
const connectTimeout = 10 * time.Second

// Options configure the database connections.
type Options struct {
	// URL is a postgres:// address.
	URL string
	// MaxConns limits the pool for writes and jobs, and separately the pool for
	// reads of requests. Zero means 10.
	MaxConns int
	// Metrics receives statement and pool measurements; nil means none.
	Metrics *telemetry.Metrics
	// Tracing receives a span for each statement; nil means none.
	Tracing *telemetry.Tracing
}

// DB holds the database connections: one bun handle on the pool for writes and
// jobs, which the job queue shares, and one on the pool for reads of requests.
// Repositories are small types on top of it, in the sub-packages.
type DB struct {
	pool  *pgxpool.Pool
	write *bun.DB
	read  *bun.DB

	enqueuer *river.Client[pgx.Tx] // only inserts jobs
}

// Open opens the pools and checks that the database answers.
func Open(ctx context.Context, o Options) (*DB, error) {
	config, err := parseAddress(o.URL)
	if err != nil {
		return nil, err
	}
	config.MaxConns = int32(max(o.MaxConns, 0))
	if config.MaxConns == 0 {
		config.MaxConns = 10
	}
	config.MaxConnIdleTime = 5 * time.Minute
	if config.ConnConfig.ConnectTimeout == 0 {
		config.ConnConfig.ConnectTimeout = connectTimeout
	}
	// bun formats arguments into the statement's text, so its statements are not
	// prepared. Select and Exec request preparation themselves.
	config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeExec
	config.ConnConfig.RuntimeParams["application_name"] = "astrolabe"
	config.ConnConfig.RuntimeParams["timezone"] = "UTC"
	config.ConnConfig.RuntimeParams["standard_conforming_strings"] = "on"
	config.ConnConfig.Tracer = newStatementTracer(o)
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	reaching, cancel := context.WithTimeout(ctx, config.ConnConfig.ConnectTimeout)
	defer cancel()
	if err := pool.Ping(reaching); err != nil {
		pool.Close()
		return nil, fmt.Errorf("reach the database: %w", err)
	}
	enqueuer, err := newEnqueuer(pool)
	if err != nil {
		pool.Close()
		return nil, err
	}
	reader := openReader(config)
	if o.Metrics != nil {
		registerPools(o.Metrics, pool, reader)
	}
	return &DB{
		pool:  pool,
		write: bun.NewDB(stdlib.OpenDBFromPool(pool), pgdialect.New()),
		read:  bun.NewDB(reader, pgdialect.New()),

		enqueuer: enqueuer,
	}, nil
}

// Write returns bun on the connections that may write.
func (db *DB) Write() *bun.DB { return db.write }

// Read returns bun on the connections for reads of requests. They cannot write,
// a transaction on them sees one snapshot, and their plans do not depend on the
// arguments; see ReaderSettings.
func (db *DB) Read() *bun.DB { return db.read }

// Close closes the pools. It waits until the connections in use are returned.
func (db *DB) Close() {
	_ = errors.Join(db.read.Close(), db.write.Close()) // closing bun does not close the pgx pool
	db.pool.Close()
}

// Writable checks that the database answers and accepts writes, which a standby
// does not. It returns indexing.ErrStorageReadOnly if it accepts none.
func (db *DB) Writable(ctx context.Context) error {
	var readOnly bool
	if err := db.write.NewSelect().ColumnExpr("current_setting('transaction_read_only')::boolean").Scan(ctx, &readOnly); err != nil {
		return err
	}
	if readOnly {
		return indexing.ErrStorageReadOnly
	}
	return nil
}

func registerPools(m *telemetry.Metrics, pool *pgxpool.Pool, reader *sql.DB) {
	m.Gauge("db_connections", "Open database connections.",
		func() float64 { return float64(int(pool.Stat().TotalConns()) + reader.Stats().OpenConnections) })
	m.Gauge("db_connections_in_use", "Database connections in use.",
		func() float64 { return float64(int(pool.Stat().AcquiredConns()) + reader.Stats().InUse) })
	m.Gauge("db_max_connections", "Most database connections that the pools may open.",
		func() float64 { return float64(int(pool.Stat().MaxConns()) + reader.Stats().MaxOpenConnections) })
	m.Counter("db_connection_waits_total", "Statements that had to wait for a database connection.",
		func() float64 { return float64(pool.Stat().EmptyAcquireCount() + reader.Stats().WaitCount) })
}
