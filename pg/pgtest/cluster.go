package pgtest

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"astrolabe/pg"
)

// seed is the folder of a server that was started and stopped once.
var seed = sync.OnceValues(func() (string, error) {
	all, err := folders()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(all.dir, "seed")
	ctx := context.Background()
	server, err := pg.Start(ctx, pg.Options{Dir: dir, Settings: forTests})
	if err != nil {
		return "", err
	}
	return dir, errors.Join(shrink(ctx, server.URL("postgres")), server.Stop(ctx))
})

// shrink gives a server the memory settings of a small machine, independent of
// how it is started: preparing more memory took two fifths of a short start and
// stop.
func shrink(ctx context.Context, url string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, "ALTER SYSTEM SET shared_buffers = '32MB'")
	return errors.Join(err, conn.Close(ctx))
}

// Cluster creates dir as the folder of a stopped private server, for tests that
// do not test its creation: a copy takes a tenth of the time.
func Cluster(tb testing.TB, dir string) {
	tb.Helper()
	made, err := seed()
	if err != nil {
		tb.Fatalf("pgtest: make a cluster: %v", err)
	}
	if output, err := exec.Command("cp", "-a", made, dir).CombinedOutput(); err != nil {
		tb.Fatalf("pgtest: copy the cluster: %v: %s", err, output)
	}
}
