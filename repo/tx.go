package repo

import (
	"context"
	"database/sql"
	"fmt"
	"io"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/uptrace/bun"
)

// Tx is a bun transaction whose connection also supports COPY and the job queue.
type Tx struct {
	bun.Tx
	conn  bun.Conn
	queue *river.Client[pgx.Tx]
}

// InTx runs act in a transaction that commits when act returns nil and is
// rolled back otherwise.
func (db *DB) InTx(ctx context.Context, act func(Tx) error) error {
	conn, err := db.write.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // does nothing after the commit
	if err := act(Tx{Tx: tx, conn: conn, queue: db.enqueuer}); err != nil {
		return err
	}
	return tx.Commit()
}

// pgxConn is a connection of the driver, also through a pooler.
type pgxConn interface{ Conn() *pgx.Conn }

// Snapshot are the options of a read-only transaction whose reads all see one
// snapshot.
var Snapshot = &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true}

// Copy loads rows in Postgres' binary COPY format into a table. The statement
// is named after the table: events.copy.
func (tx Tx) Copy(ctx context.Context, table, columns string, rows io.Reader) error {
	err := tx.conn.Raw(func(driver any) error {
		conn := driver.(pgxConn).Conn().PgConn()
		_, err := conn.CopyFrom(ctx, rows, fmt.Sprintf("/* %s.copy */ COPY %s (%s) FROM STDIN BINARY", table, table, columns))
		return err
	})
	if err != nil {
		return fmt.Errorf("copy into %s: %w", table, err)
	}
	return nil
}
