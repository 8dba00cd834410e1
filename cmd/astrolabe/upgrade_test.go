package main

import (
	"compress/gzip"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"

	"astrolabe/pg/pgtest"
)

// restoreEarlierRelease returns an operator of the database in
// testdata/upgrade, and the digest that the earlier release gave it.
func restoreEarlierRelease(t *testing.T) (*operator, string) {
	t.Helper()
	packed, err := os.Open("testdata/upgrade/migration-25.sql.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	sql, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	o := &operator{T: t, url: pgtest.Database(t, nil)}
	address, err := url.Parse(o.url)
	if err != nil {
		t.Fatal(err)
	}
	query := address.Query()
	query.Del("search_path") // psql does not know that of the tests
	address.RawQuery = query.Encode()
	psql := exec.Command("psql", "--no-psqlrc", "--quiet", "--set", "ON_ERROR_STOP=1", "--dbname", address.String())
	psql.Stdin = sql
	if output, err := psql.CombinedOutput(); err != nil {
		t.Fatalf("psql: %v\n%s", err, output)
	}
	return o, readSource(t, "testdata/upgrade/migration-25.digest")
}

// TestUpgradeAndRollbackKeepTheIndex upgrades a database of an earlier release,
// reverts what the upgrade applied, and upgrades it again.
func TestUpgradeAndRollbackKeepTheIndex(t *testing.T) {
	t.Parallel()
	o, digest := restoreEarlierRelease(t)
	keepsTheIndex := func(when string) {
		t.Helper()
		if got := o.types(exitOK, "digest"); got != digest {
			t.Errorf("%s: got\n%swant\n%s", when, got, digest)
		}
		o.types(exitOK, "fsck")
	}
	applied := strings.Count(o.types(exitOK, "migrate up"), "applied ")
	if applied < 7 {
		t.Fatalf("got %d migrations applied, want at least the 7 that came after the release", applied)
	}
	keepsTheIndex("after the upgrade")
	for range applied {
		o.expects(o.types(exitOK, "migrate down --yes"), "reverted ")
	}
	o.expects(o.types(exitUsage, "digest"), "is not applied; run: astrolabe migrate up")
	if got := strings.Count(o.types(exitOK, "migrate up"), "applied "); got != applied {
		t.Errorf("the second upgrade: got %d migrations applied, want %d", got, applied)
	}
	keepsTheIndex("after rollback and upgrade")
}

// TestRevertingTheNewestMigrationKeepsTheIndex is the upgrade from
// the schema of the previous commit: its newest migration is missing.
func TestRevertingTheNewestMigrationKeepsTheIndex(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	digest := o.types(exitOK, "digest --tables")
	reverted := strings.TrimPrefix(o.types(exitOK, "migrate down --yes"), "reverted ")
	if got := o.types(exitOK, "migrate up"); got != "applied "+reverted {
		t.Errorf("got %q, want %q applied again", got, reverted)
	}
	if got := o.types(exitOK, "digest --tables"); got != digest {
		t.Errorf("got\n%swant\n%s", got, digest)
	}
}
