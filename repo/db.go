package repo

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
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
	// Schema has the tables; empty means DefaultSchema.
	Schema string
	// Logger receives what a start waits for; nil means none.
	Logger *slog.Logger
	// DirectURL is the address of the server, if URL is one of a pooler that may
	// give each transaction another server. Migrations and notifications use it.
	DirectURL string
	// ReadURL is the address of a streaming replica for reads of requests; empty
	// means none.
	ReadURL string
	// MaxConns limits all connections together. Zero means 20. Listeners of them
	// are for calls of Listen, half of the rest for reads of requests, and the
	// others for writes and jobs. A replica gets as many as reads have.
	MaxConns, Listeners int
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

	replica *replica        // nil without one
	direct  *pgx.ConnConfig // for LISTEN and the migration lock
	options Options

	schema   string
	logger   *slog.Logger
	lockWait time.Duration // for another process that migrates

	enqueuer *river.Client[pgx.Tx] // only inserts jobs
}

// Open opens the pools and checks that the database answers.
func Open(ctx context.Context, o Options) (*DB, error) {
	config, err := parseAddress(o.URL)
	if err != nil {
		return nil, err
	}
	schema := cmp.Or(o.Schema, DefaultSchema)
	path := searchPath(schema)
	writes, reads := o.split()
	o.configure(config.ConnConfig, path)
	config.MaxConns, config.MaxConnIdleTime = int32(writes), maxIdle
	db := &DB{schema: schema, logger: cmp.Or(o.Logger, slog.New(slog.DiscardHandler)), lockWait: lockWait, options: o}
	if o.DirectURL == "" {
		db.pool, err = openPool(ctx, config)
		db.direct = config.ConnConfig
	} else {
		db.pool, err = db.openPooled(ctx, config)
	}
	if err != nil {
		return nil, err
	}
	if db.enqueuer, err = newEnqueuer(db.pool); err != nil {
		db.pool.Close()
		return nil, err
	}
	write, read := stdlib.GetPoolConnector(db.pool), readConnector(config.ConnConfig)
	if o.DirectURL != "" {
		write = pooledConnector{write, ""}
		read = pooledConnector{stdlib.GetConnector(*readConfig(config.ConnConfig)), localSettings(transactionSettings())}
	}
	db.write = bun.NewDB(sql.OpenDB(write), pgdialect.New())
	db.write.SetMaxIdleConns(0) // the pool keeps them
	db.read = newReader(sql.OpenDB(read), reads)
	if o.ReadURL != "" {
		if db.replica, err = o.openReplica(read, path, reads, db.logger); err != nil {
			db.Close()
			return nil, err
		}
	}
	if o.Metrics != nil {
		db.register(o.Metrics)
	}
	return db, nil
}

// maxIdle is how long a connection stays open without a statement.
const maxIdle = 5 * time.Minute

// split returns how many connections are for writes and jobs, and how many for
// reads of requests.
func (o Options) split() (writes, reads int) {
	rest := max(cmp.Or(o.MaxConns, 20)-o.Listeners, 2)
	return rest - rest/2, rest / 2
}

// configure sets what all connections have in common.
func (o Options) configure(conn *pgx.ConnConfig, path string) {
	if conn.ConnectTimeout == 0 {
		conn.ConnectTimeout = connectTimeout
	}
	// bun formats arguments into the statement's text, so its statements are not
	// prepared. Select and Exec request preparation themselves.
	conn.DefaultQueryExecMode = pgx.QueryExecModeExec
	conn.RuntimeParams["search_path"] = path
	conn.RuntimeParams["application_name"] = "astrolabe"
	conn.RuntimeParams["timezone"] = "UTC"
	conn.RuntimeParams["standard_conforming_strings"] = "on"
	conn.Tracer = newStatementTracer(o)
}

// Write returns bun on the connections that may write.
func (db *DB) Write() *bun.DB { return db.write }

// Read returns bun on the connections for reads of requests. They cannot write,
// a transaction on them sees one snapshot, and their plans do not depend on the
// arguments; see ReaderSettings.
func (db *DB) Read() *bun.DB {
	if db.replica.usable() {
		return db.replica.DB
	}
	return db.read
}

// Readable checks that the connections for reads of requests work and find the
// tables. A lost replica is no fault: the primary takes its place.
func (db *DB) Readable(ctx context.Context) error {
	var found bool
	if err := db.read.NewSelect().ColumnExpr("to_regclass('migrations') IS NOT NULL").Scan(ctx, &found); err != nil {
		return err
	}
	if !found {
		return fmt.Errorf("connections of the database do not find the tables of the schema %s", db.schema)
	}
	return nil
}

// Close closes the pools. It waits until the connections in use are returned.
func (db *DB) Close() {
	if db.replica != nil {
		_ = db.replica.Close()
	}
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

// register measures the pools.
func (db *DB) register(m *telemetry.Metrics) {
	readers := func(of func(sql.DBStats) int) float64 {
		n := of(db.read.Stats())
		if db.replica != nil {
			n += of(db.replica.Stats())
		}
		return float64(n)
	}
	m.Gauge("db_connections", "Open database connections.", func() float64 {
		return float64(db.pool.Stat().TotalConns()) + readers(func(s sql.DBStats) int { return s.OpenConnections })
	})
	m.Gauge("db_connections_in_use", "Database connections in use.", func() float64 {
		return float64(db.pool.Stat().AcquiredConns()) + readers(func(s sql.DBStats) int { return s.InUse })
	})
	m.Gauge("db_max_connections", "Maximum number of database connections that the pools may open.", func() float64 {
		return float64(db.pool.Stat().MaxConns()) + readers(func(s sql.DBStats) int { return s.MaxOpenConnections })
	})
	m.Counter("db_connection_waits_total", "Statements that had to wait for a database connection.", func() float64 {
		return float64(db.pool.Stat().EmptyAcquireCount()) + readers(func(s sql.DBStats) int { return int(s.WaitCount) })
	})
	if db.replica != nil {
		m.Gauge("db_replica_in_use", "1 while reads of requests use the replica, and 0 while they use the primary.", func() float64 {
			if db.replica.usable() {
				return 1
			}
			return 0
		})
	}
}
