package main

import (
	"os"
	"path/filepath"
	"testing"

	"astrolabe/pg/pgtest"
)

// existing answers a data folder in which a start finds a cluster.
func existing(t *testing.T) string {
	t.Helper()
	data := filepath.Join(pgtest.Dir(t), "data")
	if err := os.Mkdir(data, 0o711); err != nil { // the server's user passes through
		t.Fatal(err)
	}
	pgtest.Cluster(t, filepath.Join(data, "postgres"))
	return data
}
