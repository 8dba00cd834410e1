package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"astrolabe/domain/account"
	"astrolabe/repo/accounts"
)

// sessionCommand looks after sessions.
type sessionCommand struct {
	Create sessionCreate `cmd:"" help:"Make a session of a workspace and print its token, once."`
	Revoke sessionRevoke `cmd:"" help:"End a session before its time."`
}

type sessionCreate struct {
	databaseSettings
	secretSettings
	workspaceSettings
	Subject string        `help:"Who the session is for." default:"operator" env:"-"`
	Lasts   time.Duration `help:"How long the session lasts, at most 720h." default:"12h" env:"-"`
}

// Help is the long help.
func (sessionCreate) Help() string {
	return `The token is printed on stdout, alone, and cannot be shown again: only a hash of it is stored. It serves as session cookie and, after "Authorization: Bearer", as bearer of the self-serve routes.`
}

// Validate checks the settings before anything is started.
func (s sessionCreate) Validate() error {
	if s.Lasts <= 0 || s.Lasts > account.MaxSession {
		return errors.New("--lasts must be above 0 and at most 720h")
	}
	return s.check()
}

// Run creates a session.
func (s sessionCreate) Run(ctx context.Context, c *console) error {
	return withDatabase(ctx, c, s.databaseSettings, func(db *database) error {
		ring, err := prepare(ctx, c, db, s.databaseSettings, s.secretSettings)
		if err != nil {
			return err
		}
		owner, err := s.workspace(ctx, db)
		if err != nil {
			return err
		}
		session, token, err := account.NewSessions(accounts.NewSessions(db.DB), ring, time.Now).Create(ctx, owner.ID, s.Subject, s.Lasts, operatorHere())
		if err != nil {
			return err
		}
		c.logger.Info("this token is shown once", "session", session.ID, "workspace", owner.Name, "expires", session.ExpiresAt)
		fmt.Fprintln(c.stdout, token.Reveal())
		return nil
	})
}

type sessionRevoke struct {
	databaseSettings
	ID string `arg:"" help:"The session's id, which begins with ses_."`
}

// Run ends a session.
func (s sessionRevoke) Run(ctx context.Context, c *console) error {
	return withSchema(ctx, c, s.databaseSettings, func(db *database) error {
		session, err := account.NewSessions(accounts.NewSessions(db.DB), nil, time.Now).Revoke(ctx, s.ID, operatorHere())
		if err != nil {
			return mistaken(err)
		}
		fmt.Fprintf(c.stdout, "%s  %s  revoked %s\n", session.ID, session.Workspace, session.RevokedAt.Format(time.RFC3339))
		return nil
	})
}
