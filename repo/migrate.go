package repo

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/migrate"

	"astrolabe/failpoint"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// migrationLock is the advisory lock that a process holds while it migrates. It
// belongs to a connection, so a process that dies releases it.
const migrationLock = 0x6173_7472_6f6c_6162 // "astrolab"

// Migration is one step of the schema.
type Migration struct {
	Name      string
	AppliedAt time.Time // zero while pending
}

// Migrate applies every pending migration, each in its own transaction that
// also records it, then the migrations of the job queue, and then grants the
// roles. Processes that start at the same time wait for each other; the later
// ones find nothing to do.
func (db *DB) Migrate(ctx context.Context) (applied []string, err error) {
	err = db.withMigrationLock(ctx, func() error {
		failpoint.Hit(failpoint.MigrateLocked)
		migrator, err := db.migrator(ctx, recordApplied)
		if err != nil {
			return err
		}
		all, err := migrator.MigrationsWithStatus(ctx)
		if err != nil {
			return err
		}
		for _, m := range all.Unapplied() {
			if err := migrator.RunMigration(ctx, m.Name); err != nil {
				return fmt.Errorf("migration %w", err)
			}
			applied = append(applied, m.String())
			failpoint.Hit(failpoint.MigrateApplied)
		}
		if err := db.migrateQueue(ctx); err != nil {
			return err
		}
		return db.GrantRoles(ctx)
	})
	return applied, err
}

// Migrations lists every migration that this program knows, oldest first.
func (db *DB) Migrations(ctx context.Context) ([]Migration, error) {
	var list []Migration
	err := db.withMigrationLock(ctx, func() error {
		migrator, err := db.migrator(ctx, recordApplied)
		if err != nil {
			return err
		}
		all, err := migrator.MigrationsWithStatus(ctx)
		for _, m := range all {
			list = append(list, Migration{Name: m.String(), AppliedAt: m.MigratedAt})
		}
		return err
	})
	return list, err
}

// MigrateDown rolls back the newest applied migration and returns its name, or
// the empty string if none is applied.
func (db *DB) MigrateDown(ctx context.Context) (undone string, err error) {
	err = db.withMigrationLock(ctx, func() error {
		migrator, err := db.migrator(ctx, recordUndone)
		if err != nil {
			return err
		}
		group, err := migrator.Rollback(ctx)
		if err != nil {
			return err
		}
		for _, m := range group.Migrations {
			undone = m.String()
		}
		return nil
	})
	return undone, err
}

// withMigrationLock runs act while no other process migrates.
func (db *DB) withMigrationLock(ctx context.Context, act func() error) error {
	conn, err := pgx.ConnectConfig(ctx, db.pool.Config().ConnConfig)
	if err != nil {
		return fmt.Errorf("reach the database: %w", err)
	}
	// Closing the connection releases the lock.
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if _, err := conn.Exec(ctx, "/* migrate.lock */ SELECT pg_advisory_lock($1)", int64(migrationLock)); err != nil {
		return fmt.Errorf("wait for another migrating process: %w", err)
	}
	return act()
}

// migrator returns bun's migrator. bun records a migration after the
// migration's transaction, so a crash in between would run it twice. record
// writes it inside the transaction instead, and bun's later record of the same
// name changes nothing.
func (db *DB) migrator(ctx context.Context, record migrate.MigrationHook) (*migrate.Migrator, error) {
	files, err := fs.Sub(migrationFiles, "migrations")
	if err != nil {
		return nil, err
	}
	migrations := migrate.NewMigrations()
	if err := migrations.Discover(files); err != nil {
		return nil, err
	}
	migrator := migrate.NewMigrator(db.write, migrations,
		migrate.WithTableName("migrations"), migrate.WithLocksTableName("migration_locks"),
		migrate.WithMarkAppliedOnSuccess(true), migrate.WithUpsert(true),
		migrate.AfterMigration(record))
	return migrator, migrator.Init(ctx)
}

func recordApplied(ctx context.Context, tx bun.IConn, m *migrate.Migration) error {
	failpoint.Hit(failpoint.MigrateInside)
	_, err := tx.ExecContext(ctx, fmt.Sprintf(
		"/* migrate.record */ INSERT INTO migrations (name, group_id) VALUES ('%s', %d)", m.Name, m.GroupID))
	return err
}

func recordUndone(ctx context.Context, tx bun.IConn, m *migrate.Migration) error {
	_, err := tx.ExecContext(ctx, fmt.Sprintf("/* migrate.forget */ DELETE FROM migrations WHERE name = '%s'", m.Name))
	return err
}

func (db *DB) migrateQueue(ctx context.Context) error {
	migrator, err := rivermigrate.New(riverpgxv5.New(db.pool), &rivermigrate.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	if _, err := migrator.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return fmt.Errorf("job queue migration: %w", err)
	}
	failpoint.Hit(failpoint.MigrateQueue)
	return nil
}
