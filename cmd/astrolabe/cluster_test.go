package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"astrolabe/pg"
	"astrolabe/pg/pgtest"
)

// clusterOnce makes a data folder in which there is a cluster and nothing else.
var clusterOnce = sync.OnceValues(func() (string, error) {
	data := filepath.Join(sharedFolder, "data")
	if err := os.MkdirAll(data, 0o711); err != nil { // the server's user passes through
		return "", err
	}
	server, err := pg.Start(context.Background(), pg.Options{Dir: filepath.Join(data, "postgres"), Settings: map[string]string{"fsync": "off"}})
	if err != nil {
		return "", err
	}
	return data, server.Stop(context.Background())
})

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
