package repo

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

// pooledConnector opens connections to a pooler that may give each transaction
// another server. Settings of a session are lost there, and so are prepared
// statements.
type pooledConnector struct {
	driver.Connector
	reads string // the settings of reads; empty for connections that may write
}

// Connect implements driver.Connector.
func (c pooledConnector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &pooledConn{conn.(*stdlib.Conn), c.reads}, nil
}

// pooledConn is a connection to a pooler. A read is a transaction that begins
// with its settings, and nothing is prepared.
type pooledConn struct {
	*sqlConn
	reads string
}

var _ pgxConn = (*pooledConn)(nil)

// sqlConn is a connection under a name that does not hide its method Conn.
type sqlConn = stdlib.Conn

// QueryContext implements driver.QueryerContext.
func (c *pooledConn) QueryContext(ctx context.Context, query string, arguments []driver.NamedValue) (driver.Rows, error) {
	arguments = unprepared(arguments)
	if c.reads == "" || c.Conn().PgConn().TxStatus() != 'I' {
		return c.sqlConn.QueryContext(ctx, query, arguments)
	}
	if err := c.simply(ctx, "/* pool.begin */ BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; "+c.reads); err != nil {
		return nil, err
	}
	rows, err := c.sqlConn.QueryContext(ctx, query, arguments)
	if err != nil {
		c.end("/* pool.rollback */ ROLLBACK")
		return nil, err
	}
	return &pooledRows{Rows: rows.(*stdlib.Rows), conn: c}, nil
}

// ExecContext implements driver.ExecerContext.
func (c *pooledConn) ExecContext(ctx context.Context, query string, arguments []driver.NamedValue) (driver.Result, error) {
	return c.sqlConn.ExecContext(ctx, query, unprepared(arguments))
}

// BeginTx implements driver.ConnBeginTx.
func (c *pooledConn) BeginTx(ctx context.Context, o driver.TxOptions) (driver.Tx, error) {
	if c.reads == "" {
		return c.sqlConn.BeginTx(ctx, o)
	}
	tx, err := c.sqlConn.BeginTx(ctx, driver.TxOptions{Isolation: driver.IsolationLevel(sql.LevelRepeatableRead), ReadOnly: true})
	if err != nil {
		return nil, err
	}
	if err := c.simply(ctx, c.reads); err != nil {
		_ = tx.Rollback()
		return nil, err
	}
	return tx, nil
}

// simply runs statements without arguments in one round trip.
func (c *pooledConn) simply(ctx context.Context, statements string) error {
	conn := c.Conn().PgConn()
	_, err := conn.Exec(ctx, statements).ReadAll()
	if err != nil && conn.IsClosed() && ctx.Err() == nil {
		return driver.ErrBadConn // a read may be repeated on another connection
	}
	return err
}

// endTime limits the end of a transaction that has only read.
const endTime = time.Second

// end ends a transaction. If that fails, database/sql discards the connection.
func (c *pooledConn) end(statement string) {
	ctx, cancel := context.WithTimeout(context.Background(), endTime)
	defer cancel()
	_ = c.simply(ctx, statement)
}

// pooledRows are the rows of a read. Its transaction ends with them.
type pooledRows struct {
	*stdlib.Rows
	conn *pooledConn
}

// Close implements driver.Rows.
func (r *pooledRows) Close() error {
	err := r.Rows.Close()
	r.conn.end("/* pool.commit */ COMMIT")
	return err
}

// unprepared replaces the wish for a prepared statement by one for a statement
// whose types are known, which needs no state of the server.
func unprepared(arguments []driver.NamedValue) []driver.NamedValue {
	if len(arguments) == 0 || arguments[0].Value != pgx.QueryExecModeCacheStatement {
		return arguments
	}
	arguments = slices.Clone(arguments)
	arguments[0].Value = pgx.QueryExecModeCacheDescribe
	return arguments
}

// localSettings returns the statement that applies settings until the
// transaction ends.
func localSettings(settings map[string]string) string { return setConfig(settings, true) }

// setConfig returns the statement that applies settings, for a transaction or
// for a session.
func setConfig(settings map[string]string, local bool) string {
	calls := make([]string, 0, len(settings))
	for name, value := range settings {
		calls = append(calls, fmt.Sprintf("set_config('%s', '%s', %t)", name, strings.ReplaceAll(value, "'", "''"), local))
	}
	slices.Sort(calls)
	return "SELECT " + strings.Join(calls, ", ")
}

// readConn is what connections for reads implement.
type readConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.NamedValueChecker
	driver.Pinger
	driver.QueryerContext
	driver.SessionResetter
}

// replicaConnector opens connections to the replica.
type replicaConnector struct {
	driver.Connector
	primary driver.Connector
	replica *replica
}

// Connect implements driver.Connector. If the replica was lost while a statement
// was on its way to it, the statement gets a connection to the primary, but a
// check does not.
func (c replicaConnector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	if err == nil {
		return &replicaConn{conn.(readConn), c.replica}, nil
	}
	if ctx.Err() != nil || ctx.Value(checkKey{}) != nil {
		return nil, err
	}
	c.replica.lose(err)
	if conn, err = c.primary.Connect(ctx); err != nil {
		return nil, err
	}
	return standIn{conn.(readConn)}, nil
}

// replicaConn is a connection to the replica.
type replicaConn struct {
	readConn
	replica *replica
}

// QueryContext implements driver.QueryerContext.
func (c *replicaConn) QueryContext(ctx context.Context, query string, arguments []driver.NamedValue) (driver.Rows, error) {
	rows, err := c.readConn.QueryContext(ctx, query, arguments)
	return rows, c.judge(ctx, err)
}

// BeginTx implements driver.ConnBeginTx.
func (c *replicaConn) BeginTx(ctx context.Context, o driver.TxOptions) (driver.Tx, error) {
	tx, err := c.readConn.BeginTx(ctx, o)
	return tx, c.judge(ctx, err)
}

// judge replaces the error of a replica that cannot answer. The statement may be
// repeated: database/sql then takes another connection.
func (c *replicaConn) judge(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil || SQLState(err) != stateConflict && !decided(Outage(err)) {
		return err
	}
	c.replica.lose(err)
	return driver.ErrBadConn
}

// standIn is a connection to the primary for one statement.
type standIn struct{ readConn }

// IsValid implements driver.Validator.
func (standIn) IsValid() bool { return false }
