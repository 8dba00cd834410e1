package accounts

import (
	"testing"

	"go.uber.org/goleak"

	"astrolabe/pg/pgtest"
	"astrolabe/repo"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(pgtest.Main{M: m})
}

func openTest(t *testing.T, url string) *repo.DB {
	t.Helper()
	db, err := repo.Open(t.Context(), repo.Options{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	return db
}
