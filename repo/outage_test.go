package repo

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"astrolabe/domain"
	"astrolabe/pg"
	"astrolabe/pg/pgtest"
	"astrolabe/repo/model"
)

// TestADatabaseThatGoesAwayIsAnOutage stops a real server under an open pool.
func TestADatabaseThatGoesAwayIsAnOutage(t *testing.T) {
	t.Parallel()
	server, err := pg.Start(t.Context(), pg.Options{Dir: filepath.Join(pgtest.Dir(t), "postgres")})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = server.Stop(context.WithoutCancel(t.Context())) }()
	db := openTest(t, server.URL("postgres"))
	if _, err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	prepared := func() error {
		_, err := Select[int64](t.Context(), db.Write(), "/* test.one */ SELECT 1")
		return err
	}
	if err := prepared(); err != nil {
		t.Fatal(err)
	}
	if err := server.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	for name, read := range map[string]func() error{
		"prepared": prepared,
		"bun": func() error {
			return Outage(db.Write().NewSelect().Model(new([]model.Secret)).Comment("secrets.load").Scan(t.Context()))
		},
	} {
		for range 2 { // on the connection that was cut, then on a new one
			if err := read(); domain.CodeOf(err) != domain.CodeServiceUnavailable {
				t.Errorf("%s: got %v, want %s", name, err, domain.CodeServiceUnavailable)
			}
		}
	}
}

func TestWhatTheDatabaseRefusesIsNoOutage(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]domain.Code{
		"23505": domain.CodeInternal, "42P01": domain.CodeInternal, "40001": domain.CodeInternal,
		"08006": domain.CodeServiceUnavailable, "53300": domain.CodeServiceUnavailable, "57P03": domain.CodeServiceUnavailable,
	} {
		if got := domain.CodeOf(Outage(&pgconn.PgError{Code: code})); got != want {
			t.Errorf("%s is %s, want %s", code, got, want)
		}
	}
	if full := Outage(&pgconn.PgError{Code: "53100"}); domain.CodeOf(full) != domain.CodeServiceUnavailable || !strings.Contains(full.Error(), "database is full") {
		t.Errorf("full disk: got %v, want %s that says so", full, domain.CodeServiceUnavailable)
	}
	if err := Outage(context.Canceled); domain.CodeOf(err) != domain.CodeInternal {
		t.Errorf("cancelled caller: got %v, want %s", err, domain.CodeInternal)
	}
}
