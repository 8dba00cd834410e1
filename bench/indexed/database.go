package indexed

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"astrolabe/pg"
)

// Database is a migrated database of a private server.
type Database struct {
	*pgxpool.Pool
	URL string
}

// StartServer starts a private Postgres as the program would, with optional
// further settings.
func StartServer(ctx context.Context, folder string, settings map[string]string) (*pg.Server, func(), error) {
	server, err := pg.Start(ctx, pg.Options{Dir: filepath.Join(folder, "postgres"), Settings: settings})
	if err != nil {
		return nil, nil, err
	}
	return server, func() {
		stopping, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		_ = server.Stop(stopping)
	}, nil
}

// WithDatabase gives act a new database with the schema of a program, and
// removes it afterwards.
func WithDatabase(ctx context.Context, server *pg.Server, name, program string, act func(*Database) error) (err error) {
	admin, err := pgx.Connect(ctx, server.URL("postgres"))
	if err != nil {
		return err
	}
	defer func() { _ = admin.Close(context.WithoutCancel(ctx)) }()
	if _, err := admin.Exec(ctx, "CREATE DATABASE "+name); err != nil {
		return err
	}
	defer func() {
		if _, dropErr := admin.Exec(ctx, "DROP DATABASE "+name+" WITH (FORCE)"); err == nil {
			err = dropErr
		}
	}()
	db := &Database{URL: server.URL(name)}
	if err := db.migrate(ctx, program); err != nil {
		return err
	}
	if db.Pool, err = pgxpool.New(ctx, db.URL); err != nil {
		return err
	}
	defer db.Close()
	return act(db)
}

// migrate lets the program create its schema, which may differ from that of the
// commit that this benchmark was built from.
func (d *Database) migrate(ctx context.Context, program string) error {
	command := exec.CommandContext(ctx, program, "migrate", "up", "--log-level", "error") //nolint:gosec // the program to measure
	command.Env = append(os.Environ(), "ASTROLABE_DATABASE_URL="+d.URL)
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("migrate the database: %w: %s", err, output)
	}
	return nil
}

// Settle runs a checkpoint, so that earlier writes do not affect the next
// measurement.
func (d *Database) Settle(ctx context.Context) error {
	_, err := d.Exec(ctx, "CHECKPOINT")
	return err
}

// Partition is the table of a range.
type Partition struct{ Name, Parent string }

// Partitions lists the tables of all ranges.
func (d *Database) Partitions(ctx context.Context) ([]Partition, error) {
	rows, err := d.Query(ctx, `
		SELECT leaf.relname, top.relname
		FROM pg_inherits AS ranges
		JOIN pg_inherits AS chains ON chains.inhrelid = ranges.inhparent
		JOIN pg_class AS leaf ON leaf.oid = ranges.inhrelid AND leaf.relkind = 'r'
		JOIN pg_class AS top ON top.oid = chains.inhparent
		ORDER BY top.relname, leaf.oid`)
	if err != nil {
		return nil, err
	}
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (p Partition, err error) {
		err = row.Scan(&p.Name, &p.Parent)
		return p, err
	})
	if err == nil && len(list) == 0 {
		err = errors.New("the read model has no partitions")
	}
	return list, err
}

// indexedUpTo reports whether every block up to head is stored and visible.
func (d *Database) indexedUpTo(ctx context.Context, head int) (bool, error) {
	var done bool
	err := d.QueryRow(ctx, `
		SELECT EXISTS (SELECT FROM index_checkpoints WHERE chain = 1 AND block >= $1)
		AND NOT EXISTS (SELECT FROM index_ranges WHERE chain = 1 AND state <> 'ready')`, head).Scan(&done)
	return done, err
}

// Await waits until every block up to head is stored and visible.
func (d *Database) Await(ctx context.Context, head int) error {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		done, err := d.indexedUpTo(ctx, head)
		if err != nil || done {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// Events counts the events in the read model.
func (d *Database) Events(ctx context.Context) (n int, err error) {
	err = d.QueryRow(ctx, "SELECT sum(events) FROM index_ranges WHERE chain = 1").Scan(&n)
	return n, err
}
