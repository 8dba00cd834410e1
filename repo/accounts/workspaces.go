package accounts

import (
	"context"
	"database/sql"
	"errors"

	"github.com/uptrace/bun"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/repo"
	"astrolabe/repo/model"
)

// Workspaces stores workspaces.
type Workspaces struct{ db *repo.DB }

var _ account.WorkspaceStore = Workspaces{}

// NewWorkspaces returns the repository of workspaces.
func NewWorkspaces(db *repo.DB) Workspaces { return Workspaces{db} }

// AddWorkspace implements account.WorkspaceStore.
func (r Workspaces) AddWorkspace(ctx context.Context, w account.Workspace, entry account.Entry) (added bool, err error) {
	row := model.Workspace{ID: w.ID, Name: w.Name, Plan: w.Plan, TraceCertified: w.TraceCertified, CreatedAt: w.CreatedAt}
	err = r.db.Write().RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		count, err := repo.Changed(tx.NewInsert().Model(&row).Comment("workspace.add").On("CONFLICT (name) DO NOTHING").Exec(ctx))
		if added = count == 1; err != nil || !added {
			return err
		}
		return appendAudit(ctx, tx, entry)
	})
	return added && err == nil, repo.Failure(ctx, err)
}

// FindWorkspace implements account.WorkspaceStore. Ids and names are unique,
// and a name never has the form of an id.
func (r Workspaces) FindWorkspace(ctx context.Context, idOrName string) (account.Workspace, error) {
	var row model.Workspace
	err := r.db.Write().NewSelect().Model(&row).Comment("workspace.find").
		Where("id = ? OR name = ?", idOrName, idOrName).Scan(ctx)
	return workspaceOf(&row), repo.Failure(ctx, missingWorkspace(err))
}

// ListWorkspaces implements account.WorkspaceStore, in the order of the unique
// index on names.
func (r Workspaces) ListWorkspaces(ctx context.Context, limit int) ([]account.Workspace, error) {
	var rows []model.Workspace
	err := r.db.Write().NewSelect().Model(&rows).Comment("workspace.list").Order("name").Limit(int64(limit)).Scan(ctx)
	list := make([]account.Workspace, len(rows))
	for i := range rows {
		list[i] = workspaceOf(&rows[i])
	}
	return list, repo.Failure(ctx, err)
}

// SetPlan implements account.WorkspaceStore.
func (r Workspaces) SetPlan(ctx context.Context, id string, plan account.Plan, entry account.Entry) (account.Workspace, error) {
	return r.change(ctx, id, entry, func(row *model.Workspace, tx bun.Tx) *bun.UpdateQuery {
		return tx.NewUpdate().Model(row).Comment("workspace.plan").Set("plan = ?", plan)
	})
}

// SetTraceCertified implements account.WorkspaceStore.
func (r Workspaces) SetTraceCertified(ctx context.Context, id string, certified bool, entry account.Entry) (account.Workspace, error) {
	return r.change(ctx, id, entry, func(row *model.Workspace, tx bun.Tx) *bun.UpdateQuery {
		return tx.NewUpdate().Model(row).Comment("workspace.certify").Set("trace_certified = ?", certified)
	})
}

// change updates a workspace and notifies the processes that cache its keys or
// sessions.
func (r Workspaces) change(ctx context.Context, id string, entry account.Entry, update func(*model.Workspace, bun.Tx) *bun.UpdateQuery) (w account.Workspace, err error) {
	err = r.db.Write().RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		var row model.Workspace
		if err := update(&row, tx).Where("id = ?", id).Returning("?Columns").Scan(ctx); err != nil {
			return missingWorkspace(err)
		}
		w = workspaceOf(&row)
		// By api_keys_of_workspace and sessions_of_workspace.
		if _, err := tx.NewRaw(`/* workspace.notify */
			SELECT pg_notify(?, public_id) FROM api_keys WHERE workspace = ? AND (revoked_at IS NULL OR revoked_at > now())
			UNION ALL
			SELECT pg_notify(?, id) FROM sessions WHERE workspace = ?`, KeyChanges, id, SessionChanges, id).Exec(ctx); err != nil {
			return err
		}
		return appendAudit(ctx, tx, entry)
	})
	return w, repo.Failure(ctx, err)
}

func workspaceOf(row *model.Workspace) account.Workspace {
	return account.Workspace{ID: row.ID, Name: row.Name, Plan: row.Plan, TraceCertified: row.TraceCertified, CreatedAt: row.CreatedAt.UTC()}
}

func noWorkspace() error {
	return domain.Errorf(domain.CodeNotFound, "The workspace does not exist.")
}

// missingWorkspace converts sql.ErrNoRows to not_found.
func missingWorkspace(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return noWorkspace()
	}
	return err
}

// stateNoReference is the SQLSTATE of a foreign key violation.
const stateNoReference = "23503"

// absentWorkspace converts a foreign key violation on the workspace to
// not_found.
func absentWorkspace(err error) error {
	if repo.SQLState(err) == stateNoReference {
		return noWorkspace()
	}
	return err
}
