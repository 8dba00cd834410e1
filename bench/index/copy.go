package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"astrolabe/bench/indexed"
	"astrolabe/repo"
)

// copies is how long psql took to copy the same rows.
type copies struct{ indexed, bare time.Duration }

// copyRows writes every row of the ranges to files, and lets psql copy them
// into equal tables, with indexes and without. It uses the binary format, like
// the program.
func (b *bench) copyRows(ctx context.Context, db *database) (result copies, err error) {
	list, err := db.Partitions(ctx)
	if err != nil {
		return result, err
	}
	files, err := os.MkdirTemp(b.work, "rows-")
	if err != nil {
		return result, err
	}
	defer func() { _ = os.RemoveAll(files) }()
	if _, err := psqlCopy(ctx, db, files, list, repo.DefaultSchema, "TO"); err != nil {
		return result, err
	}
	if result.indexed, err = db.copyInto(ctx, files, list, "INCLUDING INDEXES"); err != nil {
		return result, err
	}
	result.bare, err = db.copyInto(ctx, files, list, "EXCLUDING INDEXES")
	return result, err
}

// copyInto creates tables like those of the ranges and fills them.
func (d *database) copyInto(ctx context.Context, files string, list []indexed.Partition, indexes string) (took time.Duration, err error) {
	const schema = "copied"
	if _, err := d.Exec(ctx, "CREATE SCHEMA "+schema); err != nil {
		return 0, err
	}
	for _, p := range list {
		name := pgx.Identifier{schema, p.Name}.Sanitize()
		if _, err := d.Exec(ctx, fmt.Sprintf("CREATE TABLE %s (LIKE %s INCLUDING DEFAULTS INCLUDING STORAGE %s)",
			name, pgx.Identifier{repo.DefaultSchema, p.Name}.Sanitize(), indexes)); err != nil {
			return 0, err
		}
	}
	if err := d.Settle(ctx); err != nil {
		return 0, err
	}
	if took, err = psqlCopy(ctx, d, files, list, schema, "FROM"); err != nil {
		return 0, err
	}
	_, err = d.Exec(ctx, "DROP SCHEMA "+schema+" CASCADE")
	return took, err
}

// psqlCopy copies tables to files, or files to tables, in one session.
func psqlCopy(ctx context.Context, db *database, files string, list []indexed.Partition, schema, direction string) (time.Duration, error) {
	var script strings.Builder
	for _, p := range list {
		fmt.Fprintf(&script, "\\copy %s.%s %s '%s' WITH (FORMAT binary)\n", schema, p.Name, direction, filepath.Join(files, p.Name))
	}
	command := exec.CommandContext(ctx, "psql", "--no-psqlrc", "--quiet", "--set", "ON_ERROR_STOP=1", db.URL) //nolint:gosec // our own server
	command.Stdin = strings.NewReader(script.String())
	began := time.Now()
	output, err := command.CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("psql: %w: %s", err, output)
	}
	return time.Since(began), nil
}
