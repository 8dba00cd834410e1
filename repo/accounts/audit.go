package accounts

import (
	"context"
	"encoding/json"

	"github.com/uptrace/bun"

	"astrolabe/domain/account"
	"astrolabe/repo"
	"astrolabe/repo/model"
)

// Audit reads the audit log. Each change appends its entry in its own
// transaction.
type Audit struct{ db *repo.DB }

// NewAudit returns the repository of the audit log.
func NewAudit(db *repo.DB) Audit { return Audit{db} }

// appendAudit appends the entry of a change in the change's transaction.
func appendAudit(ctx context.Context, tx bun.Tx, e account.Entry) error {
	row := model.AuditEntry{At: e.At, Actor: e.Actor, Action: string(e.Action), Workspace: e.Workspace, Subject: e.Subject}
	if e.Details != nil {
		var err error
		if row.Details, err = json.Marshal(e.Details); err != nil {
			return err
		}
	}
	_, err := tx.NewInsert().Model(&row).Comment("audit.record").ExcludeColumn("id").Exec(ctx)
	return err
}

// List returns the newest entries of a workspace, newest first. It reads
// audit_log_of_workspace backwards.
func (r Audit) List(ctx context.Context, workspace string, limit int) ([]account.Entry, error) {
	var rows []model.AuditEntry
	err := r.db.Write().NewSelect().Model(&rows).Comment("audit.list").Where("workspace = ?", workspace).
		Order("id DESC").Limit(int64(limit)).Scan(ctx)
	if err != nil {
		return nil, repo.Failure(ctx, err)
	}
	entries := make([]account.Entry, len(rows))
	for i, row := range rows {
		entries[i] = account.Entry{At: row.At, Actor: row.Actor, Action: account.Action(row.Action), Workspace: row.Workspace, Subject: row.Subject}
		if row.Details == nil {
			continue
		}
		if err := json.Unmarshal(row.Details, &entries[i].Details); err != nil {
			return nil, err
		}
	}
	return entries, nil
}
