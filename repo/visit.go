package repo

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// visit runs one statement and shows each of its rows, whose values are the
// connection's memory: they are to be read at once and not to be kept.
func visit(ctx context.Context, db *DB, see func(*fields) error, sql string, arguments ...any) error {
	rows, err := db.reader.Query(ctx, sql, arguments...)
	if err != nil {
		return readFailure(ctx, err)
	}
	return readFailure(ctx, visitRows(rows, see))
}

// visitRows does the same with the rows of a statement that was sent with
// others.
func visitRows(rows pgx.Rows, see func(*fields) error) error {
	defer rows.Close()
	var f fields
	for rows.Next() {
		f = fields{raw: rows.RawValues()}
		if err := see(&f); err != nil {
			return err
		}
	}
	return rows.Err()
}
