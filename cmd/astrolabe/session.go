package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"astrolabe/domain/account"
	"astrolabe/repo/accounts"
)

// sessionCommand manages sessions.
type sessionCommand struct {
	Create sessionCreate `cmd:"" help:"Create a session for a workspace and print its token once."`
	Revoke sessionRevoke `cmd:"" help:"Revoke a session before it expires."`
}

type sessionCreate struct {
	databaseSettings
	secretSettings
	workspaceSettings
	Subject string        `help:"Person or program that the session is for." default:"operator" env:"-"`
	Lasts   time.Duration `help:"Lifetime of the session, at most 720h." default:"12h" env:"-"`
	Idle    time.Duration `help:"End the session when it is not used for this long, at least 5m. Default: no limit." env:"-" placeholder:"DURATION"`
}

// Help returns the detailed help text.
func (sessionCreate) Help() string {
	return `Prints only the token on stdout. It cannot be printed again, because only its hash is stored. Send it to the self-serve routes as the session cookie or as "Authorization: Bearer <token>".`
}

// Validate checks the settings before anything starts.
func (s sessionCreate) Validate() error {
	if s.Lasts <= 0 || s.Lasts > account.MaxSession {
		return errors.New("--lasts must be above 0 and at most 720h")
	}
	if s.Idle != 0 && s.Idle < account.MinIdle {
		return errors.New("--idle must be at least 5m")
	}
	return firstError(s.databaseSettings.check(), s.secretSettings.check(s.Data))
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
		session, token, err := account.NewSessions(accounts.NewSessions(db.DB), ring, time.Now).CreateWithIdle(ctx, owner.ID, s.Subject, s.Lasts, s.Idle, currentOperator())
		if err != nil {
			return err
		}
		c.logger.Info("created a session; its token cannot be printed again", "session", session.ID, "workspace", owner.Name, "expires", session.ExpiresAt)
		fmt.Fprintln(c.stdout, token.Reveal())
		return nil
	})
}

type sessionRevoke struct {
	databaseSettings
	ID string `arg:"" help:"Session id, which starts with ses_."`
}

// Run revokes a session.
func (s sessionRevoke) Run(ctx context.Context, c *console) error {
	return withSchema(ctx, c, s.databaseSettings, func(db *database) error {
		session, err := account.NewSessions(accounts.NewSessions(db.DB), nil, time.Now).Revoke(ctx, s.ID, currentOperator())
		if err != nil {
			return notFoundAsUsage(err)
		}
		fmt.Fprintf(c.stdout, "%s  %s  revoked %s\n", session.ID, session.Workspace, session.RevokedAt.Format(time.RFC3339))
		return nil
	})
}
