package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"astrolabe/pg"
	"astrolabe/pg/pgtest"
)

// clusterOnce makes a data folder in which there is a cluster and nothing else.
var clusterOnce = sync.OnceValues(func() (string, error) {
	data := filepath.Join(sharedFolder, "data")
	if err := os.MkdirAll(data, 0o711); err != nil { // the server's user passes through
		return "", err
	}
	ctx := context.Background()
	server, err := pg.Start(ctx, pg.Options{Dir: filepath.Join(data, "postgres"), Settings: map[string]string{"fsync": "off"}})
	if err != nil {
		return "", err
	}
	return data, errors.Join(shrink(ctx, server.URL("postgres")), server.Stop(ctx))
})

// shrink gives a server the memory that it has on a small machine: to prepare
// that of a large one is half of what its start takes.
func shrink(ctx context.Context, url string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, "ALTER SYSTEM SET shared_buffers = '32MB'")
	return errors.Join(err, conn.Close(ctx))
}

// existing answers a data folder in which a start finds a cluster, for tests to
// which its making does not matter: a copy takes a tenth of the time.
func existing(t *testing.T) string {
	t.Helper()
	cluster, err := clusterOnce()
	if err != nil {
		t.Fatal(err)
	}
	data := filepath.Join(pgtest.Dir(t), "data")
	if out, err := exec.Command("cp", "-a", cluster, data).CombinedOutput(); err != nil {
		t.Fatalf("copy the cluster: %v: %s", err, out)
	}
	return data
}
