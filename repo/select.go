package repo

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/uptrace/bun"
)

// Select runs a hot read: handwritten SQL with $n arguments, prepared once per
// connection. bun scans its rows into T by column name. T is a model, a struct
// that embeds one, or the type of the only column. Statements that are not hot
// are ordinary bun queries.
//
// on is DB.Read(), DB.Write() or a transaction. Errors go through Failure. If a
// row cannot be scanned, the rows up to and including it are returned with the
// error.
func Select[T any](ctx context.Context, on bun.IDB, sql string, arguments ...any) ([]T, error) {
	rows, err := query(ctx, on, sql, arguments) //nolint:rowserrcheck // ScanRows checks it.
	if err != nil {
		return nil, Failure(ctx, err)
	}
	var list []T
	err = scanner(on).ScanRows(ctx, rows, &list)
	return list, Failure(ctx, err)
}

// Each is Select without holding all rows in memory: it calls fn for each row.
// The row is a new value that fn may keep.
func Each[T any](ctx context.Context, on bun.IDB, fn func(*T) error, sql string, arguments ...any) error {
	rows, err := query(ctx, on, sql, arguments)
	if err != nil {
		return Failure(ctx, err)
	}
	defer func() { _ = rows.Close() }()
	scanner := scanner(on)
	for rows.Next() {
		var row T
		if err := scanner.ScanRow(ctx, rows, &row); err != nil {
			return Failure(ctx, err)
		}
		if err := fn(&row); err != nil {
			return err
		}
	}
	return Failure(ctx, rows.Err())
}

// Exec runs a prepared statement with $n arguments and returns how many rows it
// changed. The indexer uses it, because its arguments are too many for a
// statement's text.
func Exec(ctx context.Context, on bun.IDB, sql string, arguments ...any) (changed int64, err error) {
	result, err := handle(on).ExecContext(ctx, sql, prepared(arguments)...)
	if err != nil {
		return 0, Failure(ctx, err)
	}
	return result.RowsAffected()
}

func query(ctx context.Context, on bun.IDB, sql string, arguments []any) (*sql.Rows, error) {
	return handle(on).QueryContext(ctx, sql, prepared(arguments)...)
}

// prepared asks the driver to prepare the statement and to cache it.
func prepared(arguments []any) []any {
	return append([]any{pgx.QueryExecModeCacheStatement}, arguments...)
}

// scanner returns the bun handle that scans rows into models.
func scanner(on bun.IDB) *bun.DB {
	if db, ok := on.(*bun.DB); ok {
		return db
	}
	return on.NewSelect().DB()
}

// handle returns the database/sql handle under bun. It sends arguments separately
// instead of formatting them into the text.
func handle(on bun.IDB) interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
} {
	switch on := on.(type) {
	case *bun.DB:
		return on.DB
	case bun.Tx:
		return on.Tx
	case Tx:
		return on.Tx.Tx
	case bun.Conn:
		return on.Conn
	default:
		panic(fmt.Sprintf("repo: statements cannot run on a %T", on))
	}
}
