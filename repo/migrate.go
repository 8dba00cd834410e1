package repo

import (
	"context"
	"embed"
	"errors"
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

// Migrate creates the schema, or moves the tables of an older release into it,
// and applies every pending migration, each in its own transaction that
// also records it, then the migrations of the job queue, and then grants the
// roles. Processes that start at the same time wait for each other; the later
// ones find nothing to do.
func (db *DB) Migrate(ctx context.Context) (applied []string, err error) {
	err = db.withMigrationLock(ctx, func(db *DB) error {
		failpoint.Hit(failpoint.MigrateLocked)
		if err := db.settle(ctx); err != nil {
			return err
		}
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
	if err == nil && db.options.DirectURL != "" {
		err = db.settlePath(ctx, db.pool, true)
	}
	return applied, err
}

// Migrations lists every migration that this program knows, oldest first.
func (db *DB) Migrations(ctx context.Context) ([]Migration, error) {
	var list []Migration
	err := db.withMigrationLock(ctx, func(db *DB) error {
		if deployed, err := deployedIn(ctx, db.write, db.schema); err != nil || !deployed {
			known, fault := knownMigrations()
			for _, m := range known.Sorted() {
				list = append(list, Migration{Name: m.String()})
			}
			return errors.Join(err, fault)
		}
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
	err = db.withMigrationLock(ctx, func(db *DB) error {
		if deployed, err := deployedIn(ctx, db.write, db.schema); err != nil || !deployed {
			return err
		}
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

// withMigrationLock runs act while no other process migrates, with connections to
// the server itself.
func (db *DB) withMigrationLock(ctx context.Context, act func(*DB) error) error {
	conn, err := pgx.ConnectConfig(ctx, db.direct)
	if err != nil {
		return fmt.Errorf("the database cannot be reached: %w", err)
	}
	// Closing the connection releases the lock.
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if err := db.waitForLock(ctx, conn); err != nil {
		return err
	}
	return db.directly(ctx, act)
}

// lockWait is how long a process waits for another one that migrates.
const lockWait = time.Minute

// stateLockTimeout is the SQLSTATE of a lock that was not granted in time.
const stateLockTimeout = "55P03"

// waitForLock takes the migration lock. While another process holds it, the log
// says which one; if it keeps the lock for too long, so does the error.
func (db *DB) waitForLock(ctx context.Context, conn *pgx.Conn) error {
	var taken bool
	if err := conn.QueryRow(ctx, "/* migrate.try */ SELECT pg_try_advisory_lock($1)", int64(migrationLock)).Scan(&taken); err != nil || taken {
		return err
	}
	db.logger.Info("waiting for another process that migrates the database", "holder", lockHolder(ctx, conn), "atMost", db.lockWait)
	_, err := conn.Exec(ctx, fmt.Sprintf("/* migrate.lock_timeout */ SET lock_timeout = %d", db.lockWait.Milliseconds()))
	if err == nil {
		_, err = conn.Exec(ctx, "/* migrate.lock */ SELECT pg_advisory_lock($1)", int64(migrationLock))
	}
	switch {
	case SQLState(err) == stateLockTimeout:
		return fmt.Errorf("another process is migrating the database and has not finished within %s: %s; wait for it or stop it, then start again", db.lockWait, lockHolder(ctx, conn))
	case err != nil:
		return fmt.Errorf("wait for another migrating process: %w", err)
	}
	return nil
}

// lockHolder describes the session that has the migration lock.
func lockHolder(ctx context.Context, conn *pgx.Conn) (holder string) {
	err := conn.QueryRow(ctx, `/* migrate.holder */
		SELECT format('database process %s, application %s, connected since %s', a.pid, coalesce(nullif(a.application_name, ''), 'unknown'),
			to_char(a.backend_start AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'))
		FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
		WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1 AND (l.classid::bigint << 32 | l.objid::bigint) = $1
			AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())`, int64(migrationLock)).Scan(&holder)
	if err != nil {
		return "it is not known"
	}
	return holder
}

// migrator returns bun's migrator. bun records a migration after the
// migration's transaction, so a crash in between would run it twice. record
// writes it inside the transaction instead, and bun's later record of the same
// name changes nothing.
func (db *DB) migrator(ctx context.Context, record migrate.MigrationHook) (*migrate.Migrator, error) {
	migrations, err := knownMigrations()
	if err != nil {
		return nil, err
	}
	migrator := migrate.NewMigrator(db.write, migrations,
		migrate.WithTableName("migrations"), migrate.WithLocksTableName("migration_locks"),
		migrate.WithMarkAppliedOnSuccess(true), migrate.WithUpsert(true),
		migrate.AfterMigration(record))
	return migrator, migrator.Init(ctx)
}

// knownMigrations returns the migrations that this program knows.
func knownMigrations() (*migrate.Migrations, error) {
	migrations := migrate.NewMigrations()
	files, err := fs.Sub(migrationFiles, "migrations")
	if err != nil {
		return migrations, err
	}
	return migrations, migrations.Discover(files)
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
