package repo

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
	"astrolabe/domain/account"
)

// SessionChanges is the channel that tells the ids of sessions that were
// revoked or changed.
const SessionChanges = "account_sessions"

// findSession reads two rows by their primary keys.
const findSession = `/* session.find */
	SELECT s.id, s.workspace, w.plan, s.subject, s.hash, s.generation, s.created_at, s.expires_at, s.revoked_at
	FROM sessions s JOIN workspaces w ON w.id = s.workspace WHERE s.id = $1`

// FindSession implements account.SessionStore.
func (db *DB) FindSession(ctx context.Context, id string) (account.Session, error) {
	return oneSession(db.pool.Query(ctx, findSession, pgx.QueryExecModeCacheStatement, id))
}

// AddSession implements account.SessionStore.
func (db *DB) AddSession(ctx context.Context, s account.Session, entry account.Entry) error {
	err := pgx.BeginFunc(ctx, db.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `/* session.add */
			INSERT INTO sessions (id, workspace, subject, hash, generation, created_at, expires_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7)`,
			s.ID, s.Workspace, s.Subject, []byte(s.Hash), int64(s.Generation), s.CreatedAt, s.ExpiresAt); err != nil {
			return err
		}
		return record(ctx, tx, entry)
	})
	return outage(ofWorkspace(err))
}

// RevokeSession implements account.SessionStore.
func (db *DB) RevokeSession(ctx context.Context, id string, by account.Actor, at time.Time) (s account.Session, err error) {
	err = pgx.BeginFunc(ctx, db.pool, func(tx pgx.Tx) error {
		s, err = oneSession(tx.Query(ctx, findSession+" FOR UPDATE OF s", pgx.QueryExecModeCacheStatement, id))
		if err != nil || s.RevokedAt != nil {
			return err
		}
		s.RevokedAt = &at
		if _, err := tx.Exec(ctx, `/* session.revoke */ UPDATE sessions SET revoked_at = $2 WHERE id = $1`, id, at); err != nil {
			return err
		}
		if err := tell(ctx, tx, SessionChanges, id); err != nil {
			return err
		}
		return record(ctx, tx, account.SessionRevoked(s, by, at))
	})
	if err != nil {
		return account.Session{}, outage(err)
	}
	return s, nil
}

// ForgetSessions deletes the sessions that expired before a time. The audit
// log keeps that they were.
func (db *DB) ForgetSessions(ctx context.Context, before time.Time) (forgotten int, err error) {
	// By sessions_expiry.
	tag, err := db.pool.Exec(ctx, `/* session.forget */ DELETE FROM sessions WHERE expires_at < $1`, before)
	return int(tag.RowsAffected()), outage(err)
}

func oneSession(rows pgx.Rows, err error) (account.Session, error) {
	if err != nil {
		return account.Session{}, outage(err)
	}
	s, err := pgx.CollectExactlyOneRow(rows, scanSession)
	if errors.Is(err, pgx.ErrNoRows) {
		return account.Session{}, domain.Errorf(domain.CodeNotFound, "the session does not exist")
	}
	return s, outage(err)
}

func scanSession(row pgx.CollectableRow) (s account.Session, err error) {
	err = row.Scan(&s.ID, &s.Workspace, &s.Plan, &s.Subject, (*[]byte)(&s.Hash), &s.Generation, &s.CreatedAt, &s.ExpiresAt, &s.RevokedAt)
	s.CreatedAt, s.ExpiresAt = s.CreatedAt.UTC(), s.ExpiresAt.UTC()
	if s.RevokedAt != nil {
		*s.RevokedAt = s.RevokedAt.UTC()
	}
	return s, err
}
