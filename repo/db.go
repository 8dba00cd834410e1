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
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"

	"astrolabe/telemetry"
)

// connectTimeout bounds an attempt to connect where the URL sets no other
// (connect_timeout): a host that swallows packets must not hang the start.
const connectTimeout = 10 * time.Second

// ErrAddress means that the database's address cannot be understood.
var ErrAddress = errors.New("the database address is malformed")

// Options say how to reach the database.
type Options struct {
	// URL is a postgres:// address.
	URL string
	// MaxConns bounds the connections that write and work, and as many that
	// requests read through; zero means 10.
	MaxConns int
	// Metrics receives statement and pool measurements; nil means none.
	Metrics *telemetry.Metrics
	// Tracing receives a span for each statement; nil means none.
	Tracing *telemetry.Tracing
}

// DB is the connections to the read model and everything beside it: bun over a
// pool that writes and works, which the job queue shares, and bun over
// connections that requests read through. Repositories are small types over
// it, in packages by trade.
type DB struct {
	pool  *pgxpool.Pool
	write *bun.DB
	read  *bun.DB
}

// Open makes the pool and checks that the database answers.
func Open(ctx context.Context, o Options) (*DB, error) {
	config, err := pgxpool.ParseConfig(o.URL)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrAddress, err)
	}
	config.MaxConns = int32(max(o.MaxConns, 0))
	if config.MaxConns == 0 {
		config.MaxConns = 10
	}
	config.MaxConnIdleTime = 5 * time.Minute
	if config.ConnConfig.ConnectTimeout == 0 {
		config.ConnConfig.ConnectTimeout = connectTimeout
	}
	// bun writes its arguments into the statement's text, so its statements
	// are not prepared. Select and Exec ask for preparation themselves.
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
	reader := openReader(config)
	if o.Metrics != nil {
		registerPools(o.Metrics, pool, reader)
	}
	return &DB{
		pool:  pool,
		write: bun.NewDB(stdlib.OpenDBFromPool(pool), pgdialect.New()),
		read:  bun.NewDB(reader, pgdialect.New()),
	}, nil
}

// Write returns bun over the connections that may write.
func (db *DB) Write() *bun.DB { return db.write }

// Read returns bun over the connections that requests read through. They
// cannot write, a transaction on them sees one moment, and their plans do not
// depend on the arguments; see ReaderSettings.
func (db *DB) Read() *bun.DB { return db.read }

// Close ends the pools after the connections in use are given back.
func (db *DB) Close() {
	_ = errors.Join(db.read.Close(), db.write.Close()) // closing bun does not close the pgx pool
	db.pool.Close()
}

// Ping checks that the database answers.
func (db *DB) Ping(ctx context.Context) error { return db.pool.Ping(ctx) }

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
