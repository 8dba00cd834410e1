package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"astrolabe/cmd/astrolabe/listing"
)

// migrateCommand migrates the schema.
type migrateCommand struct {
	Up     migrateUp     `cmd:"" help:"Apply every pending migration."`
	Status migrateStatus `cmd:"" help:"List the migrations and when each was applied."`
	Down   migrateDown   `cmd:"" help:"Revert the newest applied migration."`
}

type migrateUp struct{ databaseSettings }

// Help returns the detailed help text.
func (migrateUp) Help() string {
	return `Creates the tables of a new deployment in the database of --database-url, in the schema of --database-schema, or upgrades those of an existing one. Tables that an earlier release created in the schema public are moved there.`
}

// Run applies the pending migrations. Only a database that was chosen by a URL
// gets new tables.
func (m migrateUp) Run(ctx context.Context, c *console) error {
	may := creation(m.DatabaseURL != "" || m.DatabaseURLFile != "")
	return withDatabaseOr(ctx, c, m.databaseSettings, may, func(db *database) error {
		applied, err := db.Migrate(ctx)
		for _, name := range applied {
			fmt.Fprintf(c.stdout, "applied %s\n", name)
		}
		if err == nil && len(applied) == 0 {
			fmt.Fprintln(c.stdout, "nothing to apply")
		}
		return err
	})
}

type migrateStatus struct {
	databaseSettings
	listing.Format
}

// migrationRow is a migration in a list.
type migrationRow struct {
	Migration string     `json:"migration"`
	State     string     `json:"state"` // applied or pending
	AppliedAt *time.Time `json:"appliedAt"`
}

// Run lists the migrations.
func (m migrateStatus) Run(ctx context.Context, c *console) error {
	return withDatabase(ctx, c, m.databaseSettings, func(db *database) error {
		migrations, err := db.Migrations(ctx)
		if err != nil {
			return err
		}
		rows := make([]migrationRow, len(migrations))
		for i, migration := range migrations {
			rows[i] = migrationRow{Migration: migration.Name, State: "pending"}
			if at := migration.AppliedAt; !at.IsZero() {
				rows[i].State, rows[i].AppliedAt = "applied", &at
			}
		}
		return listing.Print(c.stdout, m.Format, rows)
	})
}

type migrateDown struct {
	databaseSettings
	Yes bool `help:"Confirm. The data that the migration added is deleted." env:"-"`
}

// Run reverts one migration.
func (m migrateDown) Run(ctx context.Context, c *console) error {
	if !m.Yes {
		return usageError{errors.New("migrate down deletes the data that the newest migration added; confirm with --yes")}
	}
	return withDatabase(ctx, c, m.databaseSettings, func(db *database) error {
		undone, err := db.MigrateDown(ctx)
		if err != nil {
			return err
		}
		if undone == "" {
			fmt.Fprintln(c.stdout, "nothing to revert")
			return nil
		}
		fmt.Fprintf(c.stdout, "reverted %s\n", undone)
		return nil
	})
}
