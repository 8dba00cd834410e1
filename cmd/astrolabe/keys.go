package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"astrolabe/cmd/astrolabe/listing"
	"astrolabe/domain/account"
	"astrolabe/repo/accounts"
)

// keysCommand manages API keys.
type keysCommand struct {
	Create keysCreate `cmd:"" help:"Create an API key and print it once."`
	List   keysList   `cmd:"" help:"List API keys without their secrets."`
	Revoke keysRevoke `cmd:"" help:"Revoke an API key immediately and permanently."`
	Grant  keysGrant  `cmd:"" help:"Grant more permissions to an API key."`
}

type keysCreate struct {
	databaseSettings
	secretSettings
	workspaceSettings
	Label       string               `help:"Description of the key." env:"-"`
	Permissions []account.Permission `help:"Permissions of the key: read, batch, write, partner, prove, trace. Only operators can grant partner, prove and trace. Every key can also verify contracts." default:"read,batch,write" enum:"read,batch,write,partner,prove,trace" env:"-"`
	Environment account.Environment  `help:"Environment of the key: live or test." enum:"live,test" default:"live" env:"-"`
	Expires     time.Duration        `help:"Lifetime of the key, for example 720h. Default: no expiry." env:"-" placeholder:"DURATION"`
	RateLimit   account.Budgets      `help:"Override the rate limit of a class: units per minute, for example heavy=1000. For proof jobs, prove_concurrent is the number that may be unfinished, and prove_daily the number that may be created in a UTC day. Repeatable." aliases:"budget" env:"-" placeholder:"CLASS=N"`
}

// Help returns the detailed help text.
func (keysCreate) Help() string {
	return `Prints only the key on stdout; log messages go to stderr. The key cannot be printed again, because only its hash is stored. The command can run next to "astrolabe up", which accepts the key immediately.`
}

// Validate checks the settings before anything starts.
func (k keysCreate) Validate() error {
	if k.Expires < 0 {
		return errors.New("--expires must not be negative")
	}
	return firstError(k.databaseSettings.check(), k.secretSettings.check(k.Data))
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
		request := account.IssueRequest{Label: k.Label, Environment: k.Environment, Permissions: k.Permissions, Budgets: k.RateLimit}
		if k.Expires > 0 {
			request.ExpiresAt = new(time.Now().Add(k.Expires).UTC())
		}
		issued, err := account.NewKeys(accounts.NewKeys(db.DB), ring, time.Now).Issue(ctx, owner.ID, request, currentOperator())
		if err != nil {
			return err
		}
		c.logger.Info("created an API key; it cannot be printed again", "key", issued.Text, "workspace", owner.Name, "permissions", issued.Key.Scopes())
		fmt.Fprintln(c.stdout, issued.Text.Reveal())
		return nil
	})
}

type keysList struct {
	databaseSettings
	listing.Format
	Workspace string `help:"Name or id of the workspace. Default: all workspaces." env:"-" placeholder:"NAME"`
	Limit     int    `help:"Maximum number of keys to list per workspace." default:"100" env:"-"`
}

// Run lists keys. It verifies none, so it needs no master key.
func (k keysList) Run(ctx context.Context, c *console) error {
	return withSchema(ctx, c, k.databaseSettings, func(db *database) error {
		owners, err := k.owners(ctx, db)
		if err != nil {
			return err
		}
		keys := account.NewKeys(accounts.NewKeys(db.DB), nil, time.Now)
		var rows []keyRow
		for _, owner := range owners {
			list, truncated, err := keys.List(ctx, owner.ID, max(k.Limit, 0))
			if err != nil {
				return err
			}
			for _, key := range list {
				rows = append(rows, rowOf(key))
			}
			if truncated {
				c.logger.Info("the workspace has more keys; raise --limit to list them", "workspace", owner.Name)
			}
		}
		return listing.Print(c.stdout, k.Format, rows)
	})
}

func (k keysList) owners(ctx context.Context, db *database) ([]account.Workspace, error) {
	if k.Workspace == "" {
		return accounts.NewWorkspaces(db.DB).ListWorkspaces(ctx, 1<<31-1)
	}
	owner, err := workspaces(db).Find(ctx, k.Workspace)
	return []account.Workspace{owner}, notFoundAsUsage(err)
}

type keysRevoke struct {
	databaseSettings
	PublicID string `arg:"" name:"public-id" help:"Public id of the key: <publicId> in svc_live_<publicId>_<secret>."`
}

// Run revokes a key.
func (k keysRevoke) Run(ctx context.Context, c *console) error {
	return withSchema(ctx, c, k.databaseSettings, func(db *database) error {
		key, err := account.NewKeys(accounts.NewKeys(db.DB), nil, time.Now).Revoke(ctx, "", k.PublicID, currentOperator())
		if err != nil {
			return notFoundAsUsage(err)
		}
		return printKey(c, key)
	})
}

type keysGrant struct {
	databaseSettings
	PublicID    string               `arg:"" name:"public-id" help:"Public id of the key: <publicId> in svc_live_<publicId>_<secret>."`
	Permissions []account.Permission `help:"Permissions to add: read, batch, write, partner, prove, trace." required:"" enum:"read,batch,write,partner,prove,trace" env:"-"`
}

// Run grants permissions.
func (k keysGrant) Run(ctx context.Context, c *console) error {
	return withSchema(ctx, c, k.databaseSettings, func(db *database) error {
		key, err := account.NewKeys(accounts.NewKeys(db.DB), nil, time.Now).Grant(ctx, k.PublicID, k.Permissions, currentOperator())
		if err != nil {
			return notFoundAsUsage(err)
		}
		return printKey(c, key)
	})
}

// keyRow is an API key in a list.
type keyRow struct {
	PublicID    string     `json:"publicId"`
	Workspace   string     `json:"workspace"`
	Environment string     `json:"environment"`
	Status      string     `json:"status"`
	Permissions []string   `json:"permissions"`
	CreatedAt   time.Time  `json:"createdAt"`
	LastUsedAt  *time.Time `json:"lastUsedAt"`
	ExpiresAt   *time.Time `json:"expiresAt"`
	Label       string     `json:"label"`
}

func rowOf(k account.Key) keyRow {
	permissions := []string{}
	for _, p := range k.Scopes() {
		permissions = append(permissions, string(p))
	}
	return keyRow{
		PublicID: k.PublicID, Workspace: k.Workspace, Environment: string(k.Environment), Status: string(k.Status(time.Now())),
		Permissions: permissions, CreatedAt: k.CreatedAt, LastUsedAt: k.LastUsedAt, ExpiresAt: k.ExpiresAt, Label: k.Label,
	}
}

// printKey prints a key that was changed.
func printKey(c *console, k account.Key) error {
	return listing.Print(c.stdout, listing.Format{}, []keyRow{rowOf(k)})
}
