package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os/user"
	"time"

	"astrolabe/cmd/astrolabe/listing"
	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/repo/accounts"
)

// workspacesCommand manages workspaces.
type workspacesCommand struct {
	List  workspacesList  `cmd:"" help:"List workspaces."`
	Plan  workspacesPlan  `cmd:"" help:"Change the plan of a workspace."`
	Trace workspacesTrace `cmd:"" help:"Enrol a workspace as a trace-certified partner, or end its enrolment."`
	Audit workspacesAudit `cmd:"" help:"Print the audit log of a workspace, newest entry first."`
}

type workspacesList struct {
	databaseSettings
	listing.Format
	Limit int `help:"Maximum number of workspaces to list." default:"100" env:"-"`
}

// Run lists workspaces by name.
func (w workspacesList) Run(ctx context.Context, c *console) error {
	return withSchema(ctx, c, w.databaseSettings, func(db *database) error {
		list, truncated, err := workspaces(db).List(ctx, max(w.Limit, 0))
		if err != nil {
			return err
		}
		if truncated {
			c.logger.Info("there are more workspaces; raise --limit to list them")
		}
		return printWorkspaces(c, w.Format, list...)
	})
}

type workspacesPlan struct {
	databaseSettings
	Workspace string       `arg:"" help:"Name or id of the workspace."`
	Plan      account.Plan `arg:"" enum:"standard,wallet" help:"Plan: standard or wallet. Wallet workspaces can search events over more than 10,000 blocks."`
}

// Run changes a plan.
func (w workspacesPlan) Run(ctx context.Context, c *console) error {
	return withSchema(ctx, c, w.databaseSettings, func(db *database) error {
		changed, err := workspaces(db).SetPlan(ctx, w.Workspace, w.Plan, currentOperator())
		if err != nil {
			return notFoundAsUsage(err)
		}
		return printWorkspaces(c, listing.Format{}, changed)
	})
}

type workspacesTrace struct {
	databaseSettings
	Workspace string `arg:"" help:"Name or id of the workspace."`
	State     string `arg:"" enum:"enrol,end" help:"enrol: every key of the workspace with the permission read can call the trace methods, including future keys. end: only keys with the permission trace can."`
}

// Run enrols a partner, or ends its enrolment.
func (w workspacesTrace) Run(ctx context.Context, c *console) error {
	return withSchema(ctx, c, w.databaseSettings, func(db *database) error {
		changed, err := workspaces(db).SetTraceCertified(ctx, w.Workspace, w.State == "enrol", currentOperator())
		if err != nil {
			return notFoundAsUsage(err)
		}
		return printWorkspaces(c, listing.Format{}, changed)
	})
}

type workspacesAudit struct {
	databaseSettings
	listing.Format
	Workspace string `arg:"" help:"Name or id of the workspace."`
	Limit     int    `help:"Maximum number of entries to print." default:"100" env:"-"`
}

// Run prints the audit log.
func (w workspacesAudit) Run(ctx context.Context, c *console) error {
	return withSchema(ctx, c, w.databaseSettings, func(db *database) error {
		found, err := workspaces(db).Find(ctx, w.Workspace)
		if err != nil {
			return notFoundAsUsage(err)
		}
		entries, err := accounts.NewAudit(db.DB).List(ctx, found.ID, max(w.Limit, 0))
		if err != nil {
			return err
		}
		rows := make([]auditRow, len(entries))
		for i, e := range entries {
			details, _ := json.Marshal(e.Details) // it came from a document
			rows[i] = auditRow{e.At, fmt.Sprint(e.Actor), string(e.Action), e.Subject, details}
		}
		return listing.Print(c.stdout, w.Format, rows)
	})
}

// auditRow is an entry of the audit log in a list.
type auditRow struct {
	At      time.Time       `json:"at"`
	Actor   string          `json:"actor"`
	Action  string          `json:"action"`
	Subject string          `json:"subject"`
	Details json.RawMessage `json:"details"`
}

// workspaceSettings name the owner of a new key or session.
type workspaceSettings struct {
	Workspace       string `help:"Name or id of the workspace." required:"" env:"-" placeholder:"NAME"`
	CreateWorkspace bool   `help:"Create the workspace if it does not exist." env:"-"`
}

// workspace finds the workspace. It creates one only on request: a typo must not
// create a new owner.
func (s workspaceSettings) workspace(ctx context.Context, db *database) (account.Workspace, error) {
	if s.CreateWorkspace {
		return workspaces(db).Ensure(ctx, s.Workspace, currentOperator())
	}
	found, err := workspaces(db).Find(ctx, s.Workspace)
	if domain.CodeOf(err) == domain.CodeNotFound {
		return found, usageError{fmt.Errorf("workspace %q does not exist; pass --create-workspace to create it", s.Workspace)}
	}
	return found, err
}

func workspaces(db *database) *account.Workspaces {
	return account.NewWorkspaces(accounts.NewWorkspaces(db.DB), time.Now)
}

// currentOperator is the user who runs the command, for the audit log.
func currentOperator() account.Actor {
	if who, err := user.Current(); err == nil {
		return account.Operator(who.Username)
	}
	return account.Operator("unknown")
}

// notFoundAsUsage turns a not_found error into a usage error.
func notFoundAsUsage(err error) error {
	if domain.CodeOf(err) == domain.CodeNotFound {
		return usageError{err}
	}
	return err
}

// workspaceRow is a workspace in a list.
type workspaceRow struct {
	ID             string    `json:"id"`
	Plan           string    `json:"plan"`
	TraceCertified bool      `json:"traceCertified"`
	CreatedAt      time.Time `json:"createdAt"`
	Name           string    `json:"name"`
}

func printWorkspaces(c *console, f listing.Format, list ...account.Workspace) error {
	rows := make([]workspaceRow, len(list))
	for i, w := range list {
		rows[i] = workspaceRow{w.ID, string(w.Plan), w.TraceCertified, w.CreatedAt, w.Name}
	}
	return listing.Print(c.stdout, f, rows)
}
