package main

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"astrolabe/pg"
	"astrolabe/repo"
)

// database is one of a private server, with its schema in place.
type database struct {
	*pgxpool.Pool
	url string
}

// startServer starts a private Postgres as the program itself would.
func startServer(ctx context.Context, folder string) (*pg.Server, func(), error) {
	server, err := pg.Start(ctx, pg.Options{Dir: filepath.Join(folder, "postgres")})
	if err != nil {
		return nil, nil, err
	}
	return server, func() {
		stopping, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		_ = server.Stop(stopping)
	}, nil
}

// withDatabase gives act a new database and removes it afterwards.
func withDatabase(ctx context.Context, server *pg.Server, name string, act func(*database) error) (err error) {
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
	db := &database{url: server.URL(name)}
	if err := db.migrate(ctx); err != nil {
		return err
	}
	if db.Pool, err = pgxpool.New(ctx, db.url); err != nil {
		return err
	}
	defer db.Close()
	return act(db)
}

func (d *database) migrate(ctx context.Context) error {
	store, err := repo.Open(ctx, repo.Options{URL: d.url})
	if err != nil {
		return err
	}
	defer store.Close()
	_, err = store.Migrate(ctx)
	return err
}

// settle writes out what earlier work left behind, so that nobody else pays
// for it.
func (d *database) settle(ctx context.Context) error {
	_, err := d.Exec(ctx, "CHECKPOINT")
	return err
}

// partition is the table of a range.
type partition struct{ name, parent string }

// partitions lists the tables of all ranges.
func (d *database) partitions(ctx context.Context) ([]partition, error) {
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
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (p partition, err error) {
		err = row.Scan(&p.name, &p.parent)
		return p, err
	})
	if err == nil && len(list) == 0 {
		err = errors.New("the read model has no partitions")
	}
	return list, err
}

// stands tells whether every block up to head is stored and visible.
func (d *database) stands(ctx context.Context, head int) (bool, error) {
	var stands bool
	err := d.QueryRow(ctx, `
		SELECT EXISTS (SELECT FROM index_checkpoints WHERE chain = 1 AND block >= $1)
		AND NOT EXISTS (SELECT FROM index_ranges WHERE chain = 1 AND state <> 'ready')`, head).Scan(&stands)
	return stands, err
}

// await waits until every block up to head is stored and visible.
func (d *database) await(ctx context.Context, head int) error {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		stands, err := d.stands(ctx, head)
		if err != nil || stands {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// events counts the events in the read model.
func (d *database) events(ctx context.Context) (n int, err error) {
	err = d.QueryRow(ctx, "SELECT sum(events) FROM index_ranges WHERE chain = 1").Scan(&n)
	return n, err
}
