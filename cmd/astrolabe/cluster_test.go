package main

import (
	"os"
	"path/filepath"
	"testing"

	"astrolabe/pg/pgtest"
)

// existing returns a data folder with a cluster.
func existing(t *testing.T) string {
	t.Helper()
	data := filepath.Join(pgtest.Dir(t), "data")
	if err := os.Mkdir(data, 0o711); err != nil { // the server's user must be able to enter it
		t.Fatal(err)
	}
	pgtest.Cluster(t, filepath.Join(data, "postgres"))
	return data
}
