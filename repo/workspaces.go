package repo

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"astrolabe/domain"
	"astrolabe/domain/account"
)

// AddWorkspace implements account.WorkspaceStore.
func (db *DB) AddWorkspace(ctx context.Context, w account.Workspace, entry account.Entry) (added bool, err error) {
	err = pgx.BeginFunc(ctx, db.pool, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `/* workspace.add */
			INSERT INTO workspaces (id, name, plan, created_at) VALUES ($1, $2, $3, $4)
			ON CONFLICT (name) DO NOTHING`, w.ID, w.Name, string(w.Plan), w.CreatedAt)
		if added = tag.RowsAffected() == 1; err != nil || !added {
			return err
		}
		return record(ctx, tx, entry)
	})
	return added && err == nil, outage(err)
}

// FindWorkspace implements account.WorkspaceStore. Ids and names are each
// unique, and a name never looks like an id.
func (db *DB) FindWorkspace(ctx context.Context, idOrName string) (account.Workspace, error) {
	return oneWorkspace(db.pool.Query(ctx, `/* workspace.find */
		SELECT id, name, plan, created_at FROM workspaces WHERE id = $1 OR name = $1`, idOrName))
}

// ListWorkspaces implements account.WorkspaceStore.
func (db *DB) ListWorkspaces(ctx context.Context, limit int) ([]account.Workspace, error) {
	// In the order of the index that keeps names unique.
	rows, err := db.pool.Query(ctx, `/* workspace.list */
		SELECT id, name, plan, created_at FROM workspaces ORDER BY name LIMIT $1`, limit)
	if err != nil {
		return nil, outage(err)
	}
	list, err := pgx.CollectRows(rows, scanWorkspace)
	return list, outage(err)
}

// SetPlan implements account.WorkspaceStore.
func (db *DB) SetPlan(ctx context.Context, id string, plan account.Plan, entry account.Entry) (w account.Workspace, err error) {
	err = pgx.BeginFunc(ctx, db.pool, func(tx pgx.Tx) error {
		w, err = oneWorkspace(tx.Query(ctx, `/* workspace.plan */
			UPDATE workspaces SET plan = $2 WHERE id = $1 RETURNING id, name, plan, created_at`, id, string(plan)))
		if err != nil {
			return err
		}
		// By api_keys_of_workspace and sessions_of_workspace.
		if _, err := tx.Exec(ctx, `/* workspace.tell */
			SELECT pg_notify($2, public_id) FROM api_keys WHERE workspace = $1 AND revoked_at IS NULL
			UNION ALL
			SELECT pg_notify($3, id) FROM sessions WHERE workspace = $1`, id, KeyChanges, SessionChanges); err != nil {
			return err
		}
		return record(ctx, tx, entry)
	})
	return w, outage(err)
}

func oneWorkspace(rows pgx.Rows, err error) (account.Workspace, error) {
	if err != nil {
		return account.Workspace{}, outage(err)
	}
	w, err := pgx.CollectExactlyOneRow(rows, scanWorkspace)
	if errors.Is(err, pgx.ErrNoRows) {
		return w, noWorkspace()
	}
	return w, outage(err)
}

func scanWorkspace(row pgx.CollectableRow) (w account.Workspace, err error) {
	err = row.Scan(&w.ID, &w.Name, &w.Plan, &w.CreatedAt)
	w.CreatedAt = w.CreatedAt.UTC()
	return w, err
}

func noWorkspace() error {
	return domain.Errorf(domain.CodeNotFound, "the workspace does not exist")
}

// stateNoReference is what Postgres answers when a referenced row is absent.
const stateNoReference = "23503"

// ofWorkspace turns the refusal of a row without its workspace into not_found.
func ofWorkspace(err error) error {
	if refused, ok := errors.AsType[*pgconn.PgError](err); ok && refused.Code == stateNoReference {
		return noWorkspace()
	}
	return err
}
