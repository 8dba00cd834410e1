package repo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// ErrPooler means that the database URL is one of a pooler that cannot be used
// as it is set.
var ErrPooler = errors.New("the database URL is one of a pooler")

// openPool opens the pool for writes and jobs, with the session settings of the
// configuration. Poolers reject startup parameters that they do not know, or
// ignore them; behind one that keeps a server for each client the settings are
// then sent as statements. The configuration is changed accordingly.
func openPool(ctx context.Context, config *pgxpool.Config) (*pgxpool.Pool, error) {
	want := config.ConnConfig.RuntimeParams["search_path"]
	pool, path, err := tryPool(ctx, config)
	if unknownParameter(err) || err == nil && !samePath(path, want) {
		if err == nil {
			pool.Close()
		}
		if err := refuseTransactionPooler(ctx, config.ConnConfig); err != nil {
			return nil, err
		}
		setAfterConnect(config.ConnConfig)
		pool, _, err = tryPool(ctx, config)
	}
	if err != nil {
		return nil, fmt.Errorf("reach the database: %w", err)
	}
	return pool, nil
}

// tryPool opens a pool and returns the search path of a connection.
func tryPool(ctx context.Context, config *pgxpool.Config) (pool *pgxpool.Pool, path string, err error) {
	if pool, err = pgxpool.NewWithConfig(ctx, config); err != nil {
		return nil, "", err
	}
	reaching, cancel := context.WithTimeout(ctx, config.ConnConfig.ConnectTimeout)
	defer cancel()
	if err := pool.QueryRow(reaching, "/* pool.path */ SELECT current_setting('search_path')").Scan(&path); err != nil {
		pool.Close()
		return nil, "", err
	}
	return pool, path, nil
}

// unknownParameter reports whether a pooler rejected a startup parameter.
func unknownParameter(err error) bool {
	return err != nil && strings.Contains(err.Error(), "unsupported startup parameter")
}

// poolerParameters are the startup parameters that poolers know.
var poolerParameters = []string{"application_name", "timezone", "standard_conforming_strings", "client_encoding", "datestyle"}

// setAfterConnect sends the startup parameters that poolers do not know as
// statements, when a connection is open.
func setAfterConnect(conn *pgx.ConnConfig) {
	settings := withoutParameters(conn)
	conn.AfterConnect = func(ctx context.Context, conn *pgconn.PgConn) error {
		_, err := conn.Exec(ctx, "/* pool.settings */ "+setConfig(settings, false)).ReadAll()
		return err
	}
}

// withoutParameters removes the startup parameters that poolers do not know, and
// returns them.
func withoutParameters(conn *pgx.ConnConfig) map[string]string {
	removed := map[string]string{}
	for name, value := range conn.RuntimeParams {
		if !slices.Contains(poolerParameters, name) {
			removed[name] = value
			delete(conn.RuntimeParams, name)
		}
	}
	return removed
}

// refuseTransactionPooler refuses a pooler that gives a server to another client
// between transactions: settings of a session would reach other clients. It sends
// none.
func refuseTransactionPooler(ctx context.Context, config *pgx.ConnConfig) error {
	config = config.Copy()
	withoutParameters(config)
	ctx, cancel := context.WithTimeout(ctx, config.ConnectTimeout)
	defer cancel()
	var servers [2]int
	for i := range servers {
		conn, err := pgx.ConnectConfig(ctx, config)
		if err != nil {
			return fmt.Errorf("reach the database: %w", err)
		}
		defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
		if err := conn.QueryRow(ctx, "/* pool.server */ SELECT pg_backend_pid()").Scan(&servers[i]); err != nil {
			return err
		}
	}
	if servers[0] == servers[1] {
		return fmt.Errorf("%w that shares a server between clients; set --database-direct-url to a URL of the server itself", ErrPooler)
	}
	return nil
}

// settlePath makes the search path the default of the pooler's role in the
// database: behind a pooler no connection can set its own. It uses a direct
// connection, and changes nothing if the default is right.
func settlePath(ctx context.Context, direct *pgx.ConnConfig, role, path string) error {
	conn, err := pgx.ConnectConfig(ctx, direct)
	if err != nil {
		return fmt.Errorf("reach the database of --database-direct-url: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	var set bool
	var change string
	err = conn.QueryRow(ctx, `/* pool.role */
		SELECT EXISTS (
			SELECT FROM pg_db_role_setting s JOIN pg_roles r ON r.oid = s.setrole JOIN pg_database d ON d.oid = s.setdatabase
			WHERE r.rolname = $1 AND d.datname = current_database() AND replace('search_path=' || $2, '"', '') IN (SELECT replace(c, '"', '') FROM unnest(s.setconfig) AS c)),
			format('ALTER ROLE %I IN DATABASE %I SET search_path = %s', $1::text, current_database(), $2::text)`, role, path).Scan(&set, &change)
	if err != nil || set {
		return err
	}
	if _, err := conn.Exec(ctx, "/* pool.path_of_role */ "+change); err != nil {
		return fmt.Errorf("set the search path of the role %s, which connections through a pooler need; or run as a superuser: %s: %w", role, change, err)
	}
	return nil
}

// openPooled opens the pool of a pooler that may give each transaction another
// server. It refuses one whose servers do not have the search path of their role,
// because they are older than it or have another role.
func (db *DB) openPooled(ctx context.Context, config *pgxpool.Config, path string) (*pgxpool.Pool, error) {
	direct, err := parseAddress(db.options.DirectURL)
	if err != nil {
		return nil, err
	}
	db.options.configure(direct.ConnConfig, path)
	db.direct = direct.ConnConfig
	if err := settlePath(ctx, db.direct, config.ConnConfig.User, path); err != nil {
		return nil, err
	}
	withoutParameters(config.ConnConfig)
	pool, found, err := tryPool(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("reach the database through the pooler: %w", err)
	}
	if !samePath(found, path) {
		pool.Close()
		return nil, fmt.Errorf("%w whose connections have the search path %s, want %s: let it reconnect (pgbouncer: RECONNECT), and use the role of --database-url for its servers", ErrPooler, found, path)
	}
	return pool, nil
}

// directly calls act with connections to the server itself, for migrations.
func (db *DB) directly(ctx context.Context, act func(*DB) error) error {
	if db.options.DirectURL == "" {
		return act(db)
	}
	direct, err := Open(ctx, Options{URL: db.options.DirectURL, Schema: db.schema, Logger: db.logger, MaxConns: 2})
	if err != nil {
		return err
	}
	defer direct.Close()
	return act(direct)
}
