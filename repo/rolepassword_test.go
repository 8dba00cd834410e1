package repo_test

import (
	"context"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"astrolabe/pg"
	"astrolabe/pg/pgtest"
	"astrolabe/repo"
)

func TestRoleLogsInWithThePasswordThatIsSet(t *testing.T) {
	t.Parallel()
	const role, secret = "astrolabe_builder", `it's_"a"_\_pass$word?`
	server, err := pg.Start(t.Context(), pg.Options{Dir: pgtest.Dir(t), PasswordRoles: []string{role}, Settings: map[string]string{"fsync": "off"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Stop(context.Background()) })
	db, err := repo.Open(t.Context(), repo.Options{URL: server.URL("postgres"), MaxConns: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	if err := repo.SetRolePassword(t.Context(), db, role, "any"); repo.SQLState(err) != "42704" {
		t.Errorf("a role that does not exist: got %v, want undefined_object", err)
	}
	if _, err := db.Write().NewRaw("CREATE ROLE astrolabe_builder NOLOGIN").Exec(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, set := range []string{"before", secret} { // the second replaces the first
		if err := repo.SetRolePassword(t.Context(), db, role, set); err != nil {
			t.Fatal(err)
		}
	}
	for tried, want := range map[string]string{secret: "", "before": "28P01", "": "28P01"} {
		conn, err := pgx.Connect(t.Context(), server.PasswordURL("postgres", role, tried))
		if err == nil {
			_ = conn.Close(t.Context())
		}
		if repo.SQLState(err) != want || (err == nil) != (want == "") {
			t.Errorf("password %q: got %v, want %q", tried, err, want)
		}
	}
	for _, bad := range []string{"", "a b", "ä", "a\x00"} {
		if err := repo.SetRolePassword(t.Context(), db, role, bad); err == nil || strings.Contains(err.Error(), "ä") {
			t.Errorf("password %q: got %v, want an error without it", bad, err)
		}
	}
}
