package accounts

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/repo"
	"astrolabe/repo/model"
)

// SessionChanges is the channel that announces the ids of changed or revoked
// sessions.
const SessionChanges = "account_sessions"

// Sessions stores the sessions of browsers.
type Sessions struct{ db *repo.DB }

var _ account.SessionStore = Sessions{}

// NewSessions returns the repository of sessions.
func NewSessions(db *repo.DB) Sessions { return Sessions{db} }

// sessionRow is a session with the plan of its workspace.
type sessionRow struct {
	model.Session `bun:",extend"`
	Plan          account.Plan `bun:"plan,scanonly"`
}

// selectSession reads a session and its workspace by primary keys.
func selectSession(on bun.IDB, row *sessionRow, id string) *bun.SelectQuery {
	return on.NewSelect().Model(row).Comment("session.find").ColumnExpr("?TableColumns, w.plan").
		Join("JOIN workspaces AS w ON w.id = s.workspace").Where("s.id = ?", id)
}

// FindSession implements account.SessionStore.
func (r Sessions) FindSession(ctx context.Context, id string) (account.Session, error) {
	var row sessionRow
	err := selectSession(r.db.Write(), &row, id).Scan(ctx)
	return row.session(), repo.Failure(ctx, absentSession(err))
}

// AddSession implements account.SessionStore.
func (r Sessions) AddSession(ctx context.Context, s account.Session, entry account.Entry) error {
	row := model.Session{
		ID: s.ID, Workspace: s.Workspace, Subject: s.Subject, Hash: s.Hash, Generation: int64(s.Generation),
		CreatedAt: s.CreatedAt, ExpiresAt: s.ExpiresAt,
	}
	if s.Idle > 0 {
		row.IdleSeconds = new(int64(s.Idle / time.Second))
	}
	err := r.db.Write().RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		if _, err := tx.NewInsert().Model(&row).Comment("session.add").Exec(ctx); err != nil {
			return err
		}
		return appendAudit(ctx, tx, entry)
	})
	return repo.Failure(ctx, absentWorkspace(err))
}

// RevokeSession implements account.SessionStore.
func (r Sessions) RevokeSession(ctx context.Context, id string, by account.Actor, at time.Time) (s account.Session, err error) {
	err = r.db.Write().RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		var row sessionRow
		if err := selectSession(tx, &row, id).For("UPDATE OF s").Scan(ctx); err != nil {
			return absentSession(err)
		}
		if s = row.session(); s.RevokedAt != nil {
			return nil
		}
		s.RevokedAt = &at
		if _, err := tx.NewUpdate().Model((*model.Session)(nil)).Comment("session.revoke").Set("revoked_at = ?", at).
			Where("id = ?", id).Exec(ctx); err != nil {
			return err
		}
		if err := repo.Notify(ctx, tx, SessionChanges, id); err != nil {
			return err
		}
		return appendAudit(ctx, tx, account.SessionRevoked(s, by, at))
	})
	if err != nil {
		return account.Session{}, repo.Failure(ctx, err)
	}
	return s, nil
}

// ForgetSessions deletes the sessions that expired before a time, by
// sessions_expiry. The audit log still shows that they existed.
func (r Sessions) ForgetSessions(ctx context.Context, before time.Time) (forgotten int, err error) {
	return repo.Changed(r.db.Write().NewDelete().Model((*model.Session)(nil)).Comment("session.forget").
		Where("expires_at < ?", before).Exec(ctx))
}

// ListSessions implements account.SessionStore, by sessions_of_workspace.
func (r Sessions) ListSessions(ctx context.Context, workspace, subject string, at time.Time, limit int) ([]account.Session, error) {
	var rows []sessionRow
	err := r.db.Write().NewSelect().Model(&rows).Comment("session.list").ColumnExpr("?TableColumns, w.plan").
		Join("JOIN workspaces AS w ON w.id = s.workspace").
		Where("s.workspace = ? AND s.subject = ? AND s.revoked_at IS NULL AND s.expires_at > ?", workspace, subject, at).
		OrderExpr("s.created_at DESC, s.id").Limit(int64(limit)).Scan(ctx)
	sessions := make([]account.Session, len(rows))
	for i := range rows {
		sessions[i] = rows[i].session()
	}
	return sessions, repo.Failure(ctx, err)
}

// RecordSessionUse implements account.SessionStore, by the primary key.
func (r Sessions) RecordSessionUse(ctx context.Context, uses map[string]time.Time) error {
	ids, times := unzip(uses)
	_, err := r.db.Write().NewRaw(`/* session.use */
		UPDATE sessions s SET last_used_at = greatest(s.last_used_at, used.at)
		FROM (
			SELECT a.id, u.at FROM unnest(?::text[], ?::timestamptz[]) AS u (id, at)
			JOIN sessions a ON a.id = u.id
			FOR NO KEY UPDATE OF a SKIP LOCKED
		) used
		WHERE s.id = used.id`, pgdialect.Array(ids), pgdialect.Array(times)).Exec(ctx)
	return repo.Failure(ctx, err)
}

func (r *sessionRow) session() account.Session {
	s := account.Session{
		ID: r.ID, Workspace: r.Workspace, Plan: r.Plan, Subject: r.Subject, Hash: r.Hash, Generation: uint32(r.Generation),
		CreatedAt: r.CreatedAt.UTC(), ExpiresAt: r.ExpiresAt.UTC(), RevokedAt: utc(r.RevokedAt), LastUsedAt: utc(r.LastUsedAt),
	}
	if r.IdleSeconds != nil {
		s.Idle = time.Duration(*r.IdleSeconds) * time.Second
	}
	return s
}

// absentSession converts sql.ErrNoRows to not_found.
func absentSession(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return domain.Errorf(domain.CodeNotFound, "The session does not exist.")
	}
	return err
}
