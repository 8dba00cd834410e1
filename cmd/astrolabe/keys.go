package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"astrolabe/domain/account"
	"astrolabe/repo/accounts"
)

// keysCommand looks after API keys.
type keysCommand struct {
	Create keysCreate `cmd:"" help:"Make an API key and print it, once."`
	List   keysList   `cmd:"" help:"List API keys, without their secrets."`
	Revoke keysRevoke `cmd:"" help:"Revoke an API key, at once and for good."`
	Grant  keysGrant  `cmd:"" help:"Give an API key further permissions."`
}

type keysCreate struct {
	databaseSettings
	secretSettings
	workspaceSettings
	Label       string               `help:"What the key is for." env:"-"`
	Permissions []account.Permission `help:"What the key may do: read, batch, write, verify, and what only an operator gives: partner, prove, trace." default:"read,batch,write,verify" env:"-"`
	Environment account.Environment  `help:"live or test." enum:"live,test" default:"live" env:"-"`
	Expires     time.Duration        `help:"How long the key lasts, for example 720h. Without it the key does not expire." env:"-" placeholder:"DURATION"`
	Budget      account.Budgets      `help:"A budget per minute that differs from the usual one, for example heavy=1000. Can be given several times." env:"-" placeholder:"CLASS=N"`
}

// Help is the long help.
func (keysCreate) Help() string {
	return `The key is printed on stdout, alone, and cannot be shown again: only a hash of it is stored. Everything else goes to stderr. It works beside a running "astrolabe up", which accepts the key at once.`
}

// Validate checks the settings before anything is started.
func (k keysCreate) Validate() error {
	if k.Expires < 0 {
		return errors.New("--expires must not be negative")
	}
	return k.check()
}

// Run issues a key.
func (k keysCreate) Run(ctx context.Context, c *console) error {
	return withDatabase(ctx, c, k.databaseSettings, func(db *database) error {
		ring, err := prepare(ctx, c, db, k.databaseSettings, k.secretSettings)
		if err != nil {
			return err
		}
		owner, err := k.workspace(ctx, db)
		if err != nil {
			return err
		}
		request := account.IssueRequest{Label: k.Label, Environment: k.Environment, Permissions: k.Permissions, Budgets: k.Budget}
		if k.Expires > 0 {
			request.ExpiresAt = new(time.Now().Add(k.Expires).UTC())
		}
		issued, err := account.NewKeys(accounts.NewKeys(db.DB), ring, time.Now).Issue(ctx, owner.ID, request, operatorHere())
		if err != nil {
			return err
		}
		c.logger.Info("this key is shown once", "key", issued.Text, "workspace", owner.Name, "permissions", issued.Key.Permissions)
		fmt.Fprintln(c.stdout, issued.Text.Reveal())
		return nil
	})
}

type keysList struct {
	databaseSettings
	Workspace string `help:"Name or id of the workspace. Without it, all of them." env:"-" placeholder:"NAME"`
	Limit     int    `help:"How many keys of a workspace at most." default:"100" env:"-"`
}

// Run lists keys. It checks none, so it needs no master key.
func (k keysList) Run(ctx context.Context, c *console) error {
	return withSchema(ctx, c, k.databaseSettings, func(db *database) error {
		owners, err := k.owners(ctx, db)
		if err != nil {
			return err
		}
		keys := account.NewKeys(accounts.NewKeys(db.DB), nil, time.Now)
		for _, owner := range owners {
			list, truncated, err := keys.List(ctx, owner.ID, max(k.Limit, 0))
			if err != nil {
				return err
			}
			for _, key := range list {
				printKey(c, key)
			}
			if truncated {
				c.logger.Info("the workspace has more keys: raise --limit", "workspace", owner.Name)
			}
		}
		return nil
	})
}

func (k keysList) owners(ctx context.Context, db *database) ([]account.Workspace, error) {
	if k.Workspace == "" {
		return accounts.NewWorkspaces(db.DB).ListWorkspaces(ctx, 1<<31-1)
	}
	owner, err := workspaces(db).Find(ctx, k.Workspace)
	return []account.Workspace{owner}, mistaken(err)
}

type keysRevoke struct {
	databaseSettings
	PublicID string `arg:"" name:"public-id" help:"The key's public id: the third part of its text."`
}

// Run revokes a key.
func (k keysRevoke) Run(ctx context.Context, c *console) error {
	return withSchema(ctx, c, k.databaseSettings, func(db *database) error {
		key, err := account.NewKeys(accounts.NewKeys(db.DB), nil, time.Now).Revoke(ctx, "", k.PublicID, operatorHere())
		if err != nil {
			return mistaken(err)
		}
		printKey(c, key)
		return nil
	})
}

type keysGrant struct {
	databaseSettings
	PublicID    string               `arg:"" name:"public-id" help:"The key's public id: the third part of its text."`
	Permissions []account.Permission `help:"What the key may do beside what it may already: read, batch, partner, write, verify, prove, trace." required:"" env:"-"`
}

// Run grants permissions.
func (k keysGrant) Run(ctx context.Context, c *console) error {
	return withSchema(ctx, c, k.databaseSettings, func(db *database) error {
		key, err := account.NewKeys(accounts.NewKeys(db.DB), nil, time.Now).Grant(ctx, k.PublicID, k.Permissions, operatorHere())
		if err != nil {
			return mistaken(err)
		}
		printKey(c, key)
		return nil
	})
}

func printKey(c *console, k account.Key) {
	permissions := make([]string, len(k.Permissions))
	for i, p := range k.Permissions {
		permissions[i] = string(p)
	}
	used := "never"
	if k.LastUsedAt != nil {
		used = k.LastUsedAt.Format(time.RFC3339)
	}
	fmt.Fprintf(c.stdout, "%s  %s  %s  %s  %s  created %s  last used %s  %s\n", k.PublicID, k.Workspace, k.Environment,
		k.Status(time.Now()), strings.Join(permissions, ","), k.CreatedAt.Format(time.RFC3339), used, k.Label)
}
