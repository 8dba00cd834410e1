package repo

import (
	"context"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain/account"
)

// record appends to the audit log in the transaction of the change.
func record(ctx context.Context, tx pgx.Tx, e account.Entry) error {
	_, err := tx.Exec(ctx, `/* audit.record */
		INSERT INTO audit_log (at, actor, action, workspace, subject, details) VALUES ($1, $2, $3, $4, $5, $6)`,
		pgx.QueryExecModeCacheStatement, e.At, e.Actor, string(e.Action), e.Workspace, e.Subject, e.Details)
	return err
}

// Audit returns the newest entries of a workspace, newest first.
func (db *DB) Audit(ctx context.Context, workspace string, limit int) ([]account.Entry, error) {
	// audit_log_of_workspace, backwards.
	rows, err := db.pool.Query(ctx, `/* audit.list */
		SELECT at, actor, action, workspace, subject, details FROM audit_log
		WHERE workspace = $1 ORDER BY id DESC LIMIT $2`, workspace, limit)
	if err != nil {
		return nil, outage(err)
	}
	entries, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (e account.Entry, err error) {
		err = row.Scan(&e.At, &e.Actor, &e.Action, &e.Workspace, &e.Subject, &e.Details)
		return e, err
	})
	return entries, outage(err)
}
