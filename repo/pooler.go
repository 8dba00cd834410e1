package repo

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// ErrPooler means that the database URL is one of a pooler that cannot be used
// as it is set.
var ErrPooler = errors.New("the database URL points to a connection pooler")

// directMark is a setting of our own that only a connection to the server itself
// has: poolers reject startup parameters that they do not know, or ignore them.
const directMark = "astrolabe.direct"

// openPool opens the pool for writes and jobs, with the session settings of the
// configuration. It refuses a pooler, in whatever mode that is: which one cannot
// be told for certain, and in transaction mode the settings would reach other
// clients.
func openPool(ctx context.Context, config *pgxpool.Config) (*pgxpool.Pool, error) {
	config.ConnConfig.RuntimeParams[directMark] = "on"
	pool, mark, err := tryPool(ctx, config, directMark)
	if err == nil && mark == "" {
		pool.Close()
	}
	if unknownParameter(err) || err == nil && mark == "" {
		return nil, fmt.Errorf("%w; set --database-direct-url to a URL of the server itself", ErrPooler)
	}
	if err != nil {
		return nil, fmt.Errorf("the database cannot be reached: %w", err)
	}
	return pool, nil
}

// tryPool opens a pool and returns a setting of a connection.
func tryPool(ctx context.Context, config *pgxpool.Config, setting string) (pool *pgxpool.Pool, value string, err error) {
	if pool, err = pgxpool.NewWithConfig(ctx, config); err != nil {
		return nil, "", err
	}
	if value, err = settingOf(ctx, pool, setting); err != nil {
		pool.Close()
		return nil, "", err
	}
	return pool, value, nil
}

// settingOf reads a setting of a connection of a pool.
func settingOf(ctx context.Context, pool *pgxpool.Pool, setting string) (value string, err error) {
	reaching, cancel := context.WithTimeout(ctx, pool.Config().ConnConfig.ConnectTimeout)
	defer cancel()
	err = pool.QueryRow(reaching, "/* pool.setting */ SELECT coalesce(current_setting($1, true), '')", setting).Scan(&value)
	return value, err
}

// unknownParameter reports whether a pooler rejected a startup parameter.
func unknownParameter(err error) bool {
	return err != nil && strings.Contains(err.Error(), "unsupported startup parameter")
}

// poolerParameters are the startup parameters that poolers know.
var poolerParameters = []string{"application_name", "timezone", "standard_conforming_strings", "client_encoding", "datestyle"}

// withoutParameters removes the startup parameters that poolers do not know.
func withoutParameters(conn *pgx.ConnConfig) {
	maps.DeleteFunc(conn.RuntimeParams, func(name, _ string) bool { return !slices.Contains(poolerParameters, name) })
}

// openPooled opens the pool of a pooler, with which each transaction may have
// another server. It opens no connection while the database has no deployment:
// Migrate sets the search path that those connections need.
func (db *DB) openPooled(ctx context.Context, config *pgxpool.Config) (*pgxpool.Pool, error) {
	direct, err := parseAddress(db.options.DirectURL)
	if err != nil {
		return nil, err
	}
	db.options.configure(direct.ConnConfig, searchPath(db.schema))
	db.direct = direct.ConnConfig
	withoutParameters(config.ConnConfig)
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	if err := db.settlePath(ctx, pool, false); err != nil {
		pool.Close()
		return nil, err
	}
	return pool, nil
}

// settlePath makes the search path the default of the pooler's role in the
// database: behind a pooler no connection can set its own. It changes nothing if
// the database has no deployment and none is being created, and refuses a role
// that has another path already, because another deployment may rely on it.
func (db *DB) settlePath(ctx context.Context, pool *pgxpool.Pool, creating bool) error {
	conn, err := pgx.ConnectConfig(ctx, db.direct)
	if err != nil {
		return fmt.Errorf("the database of --database-direct-url cannot be reached: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	role, want := pool.Config().ConnConfig.User, searchPath(db.schema)
	var deployed bool
	var has, change string
	err = conn.QueryRow(ctx, `/* pool.role */
		SELECT to_regclass($2::text || '.migrations') IS NOT NULL, coalesce((
			SELECT substr(c, length('search_path=') + 1) FROM pg_db_role_setting s JOIN pg_roles r ON r.oid = s.setrole JOIN pg_database d ON d.oid = s.setdatabase
				CROSS JOIN unnest(s.setconfig) AS c
			WHERE r.rolname = $1 AND d.datname = current_database() AND c LIKE 'search\_path=%'), ''),
			format('ALTER ROLE %I IN DATABASE %I SET search_path = %s', $1::text, current_database(), $2::text)`, role, want).Scan(&deployed, &has, &change)
	switch {
	case err != nil:
		return err
	case has != "" && !samePath(has, want):
		return fmt.Errorf("%w whose role %s has the search path %s, want %s: give each deployment behind a pooler a role of its own, or, if the other one is gone, run: %s",
			ErrPooler, role, has, want, change)
	case !deployed && !creating:
		return nil
	case has == "":
		if _, err := conn.Exec(ctx, "/* pool.path_of_role */ "+change); err != nil {
			return fmt.Errorf("set the search path of the role %s, which connections through a pooler need; or run as a superuser: %s: %w", role, change, err)
		}
	}
	return checkPath(ctx, pool, want)
}

// checkPath refuses a pooler whose servers do not have the search path of their
// role, because they are older than it or have another role.
func checkPath(ctx context.Context, pool *pgxpool.Pool, want string) error {
	found, err := settingOf(ctx, pool, "search_path")
	if err != nil {
		return fmt.Errorf("the database cannot be reached through the pooler of --database-url: %w", err)
	}
	if !samePath(found, want) {
		return fmt.Errorf("%w whose connections have the search path %s, want %s: let it reconnect (pgbouncer: RECONNECT), and use the role of --database-url for its servers", ErrPooler, found, want)
	}
	return nil
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
