package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os/user"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/repo/accounts"
)

// workspacesCommand looks after the owners of keys.
type workspacesCommand struct {
	List  workspacesList  `cmd:"" help:"List the workspaces."`
	Plan  workspacesPlan  `cmd:"" help:"Change the plan of a workspace."`
	Audit workspacesAudit `cmd:"" help:"Show who changed what in a workspace, newest first."`
}

type workspacesList struct {
	databaseSettings
	Limit int `help:"How many at most." default:"100" env:"-"`
}

// Run lists workspaces by name.
func (w workspacesList) Run(ctx context.Context, c *console) error {
	return withSchema(ctx, c, w.databaseSettings, func(db *database) error {
		list, truncated, err := workspaces(db).List(ctx, max(w.Limit, 0))
		for _, found := range list {
			printWorkspace(c, found)
		}
		if truncated {
			c.logger.Info("there are more workspaces: raise --limit")
		}
		return err
	})
}

type workspacesPlan struct {
	databaseSettings
	Workspace string       `arg:"" help:"Name or id of the workspace."`
	Plan      account.Plan `arg:"" enum:"standard,wallet" help:"standard, or wallet, which may search events over wide ranges."`
}

// Run changes a plan.
func (w workspacesPlan) Run(ctx context.Context, c *console) error {
	return withSchema(ctx, c, w.databaseSettings, func(db *database) error {
		changed, err := workspaces(db).SetPlan(ctx, w.Workspace, w.Plan, operatorHere())
		if err != nil {
			return mistaken(err)
		}
		printWorkspace(c, changed)
		return nil
	})
}

type workspacesAudit struct {
	databaseSettings
	Workspace string `arg:"" help:"Name or id of the workspace."`
	Limit     int    `help:"How many entries at most." default:"100" env:"-"`
}

// Run prints the audit log.
func (w workspacesAudit) Run(ctx context.Context, c *console) error {
	return withSchema(ctx, c, w.databaseSettings, func(db *database) error {
		found, err := workspaces(db).Find(ctx, w.Workspace)
		if err != nil {
			return mistaken(err)
		}
		entries, err := accounts.NewAudit(db.DB).List(ctx, found.ID, max(w.Limit, 0))
		for _, e := range entries {
			details, _ := json.Marshal(e.Details) // it came from a document
			fmt.Fprintf(c.stdout, "%s  %s  %s  %s  %s\n", e.At.UTC().Format(time.RFC3339), e.Actor, e.Action, e.Subject, details)
		}
		return err
	})
}

// workspaceSettings say whose a key or a session shall be.
type workspaceSettings struct {
	Workspace       string `help:"Name or id of the workspace." required:"" env:"-" placeholder:"NAME"`
	CreateWorkspace bool   `help:"Make the workspace when there is none of this name." env:"-"`
}

// workspace finds the workspace. It is made only when asked for: a mistyped
// name must not become a new owner.
func (s workspaceSettings) workspace(ctx context.Context, db *database) (account.Workspace, error) {
	if s.CreateWorkspace {
		return workspaces(db).Ensure(ctx, s.Workspace, operatorHere())
	}
	found, err := workspaces(db).Find(ctx, s.Workspace)
	if domain.CodeOf(err) == domain.CodeNotFound {
		return found, usageError{fmt.Errorf("there is no workspace %q: --create-workspace makes it", s.Workspace)}
	}
	return found, err
}

func workspaces(db *database) *account.Workspaces {
	return account.NewWorkspaces(accounts.NewWorkspaces(db.DB), time.Now)
}

// operatorHere is who typed the command.
func operatorHere() account.Actor {
	if who, err := user.Current(); err == nil {
		return account.Operator(who.Username)
	}
	return account.Operator("unknown")
}

// mistaken marks a name that does not exist as the caller's mistake.
func mistaken(err error) error {
	if domain.CodeOf(err) == domain.CodeNotFound {
		return usageError{err}
	}
	return err
}

func printWorkspace(c *console, w account.Workspace) {
	fmt.Fprintf(c.stdout, "%s  %s  created %s  %s\n", w.ID, w.Plan, w.CreatedAt.Format(time.RFC3339), w.Name)
}
