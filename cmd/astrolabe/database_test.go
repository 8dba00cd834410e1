package main

import (
	"bytes"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"astrolabe/pg/pgtest"
	"astrolabe/telemetry"
)

// TestPrivateDatabaseIsUsedWithoutSuperuser migrates a new private database and
// opens it a second time, as the role of the program.
func TestPrivateDatabaseIsUsedWithoutSuperuser(t *testing.T) {
	t.Parallel()
	settings := databaseSettings{Data: filepath.Join(pgtest.Dir(t), "data"), DatabaseConns: 2}
	for range 2 {
		db, err := openDatabase(t.Context(), &console{logger: slog.New(slog.DiscardHandler), metrics: telemetry.NewMetrics()}, settings, mayCreate)
		if err != nil {
			t.Fatal(err)
		}
		_, err = db.Migrate(t.Context())
		var superuser string
		if scanned := db.Write().NewRaw("SELECT current_setting('is_superuser')").Scan(t.Context(), &superuser); err != nil || scanned != nil || superuser != "off" {
			t.Errorf("got superuser %q, %v and %v, want off after the migrations", superuser, scanned, err)
		}
		db.close()
	}
}

func TestCommandsBesideUpAndMigrateUpNeverCreateADeployment(t *testing.T) {
	t.Parallel()
	for _, command := range []string{
		"serve --addr 127.0.0.1:0 --admin-addr=", "work --admin-addr=", "index --admin-addr= --node-main http://127.0.0.1:1",
		"keys create --workspace a --create-workspace --permissions read", "workspaces list", "secrets list", "migrate status",
	} {
		data, url := filepath.Join(t.TempDir(), "data"), pgtest.Database(t, nil)
		for _, c := range []struct{ flag, want string }{
			{"--database-url=", "there is no deployment in " + data},
			{"--database-url=" + url, "create one with: astrolabe migrate up"},
		} {
			var stdout, stderr bytes.Buffer
			args := append(strings.Fields(command), "--data", data, c.flag)
			if got := run(t.Context(), args, &stdout, &stderr); got != exitUsage || !strings.Contains(stderr.String(), c.want) {
				t.Errorf("%s: got exit code %d and %q, want %d and %q", command, got, &stderr, exitUsage, c.want)
			}
			if started := strings.Contains(stderr.String(), "msg=starting"); started && c.flag == "--database-url=" {
				t.Errorf("%s: got the log %s, want no start without a deployment", command, &stderr)
			}
		}
		if _, err := os.Stat(data); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: got %v for the data folder, want none", command, err)
		}
	}
}

func TestADeploymentThatWasCreatedInPublicStaysThere(t *testing.T) {
	t.Parallel()
	o := &operator{T: t, url: pgtest.Database(t, nil)}
	o.types(exitOK, "migrate up --database-schema public")
	for _, command := range []string{
		"migrate up --database-schema other", "migrate up", "serve --addr=127.0.0.1:0 --admin-addr=", "work --admin-addr=",
		"index --admin-addr= --node-main=http://127.0.0.1:1",
	} {
		o.expects(o.types(exitUsage, command+" --data="+t.TempDir()), "the deployment is in another schema: its tables are in public; pass --database-schema public\n")
	}
	o.expects(o.types(exitOK, "migrate up --database-schema public"), "nothing to apply")
}

// TestVariablesOfPostgresClientsAreIgnored starts the program as a process, whose
// environment says that the database is elsewhere.
func TestVariablesOfPostgresClientsAreIgnored(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t, nil)
	p := start(t, []string{
		"ASTROLABE_DATABASE_URL=" + url, "DATABASE_URL=postgres://127.0.0.1:1/stray", "PGSERVICE=stray", "PGOPTIONS=-c search_path=stray", "PGSSLMODE=verify-full", "PGUSER=stray",
	}, "migrate", "up")
	p.wait(t)
	if code := p.cmd.ProcessState.ExitCode(); code != exitOK {
		t.Errorf("got exit code %d, want %d\n%s", code, exitOK, p.text())
	}
}

func TestDatabaseURLsAreReadFromFiles(t *testing.T) {
	t.Parallel()
	file := func(text string) string {
		t.Helper()
		path := filepath.Join(t.TempDir(), "url")
		if err := os.WriteFile(path, []byte(text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const main, direct, read = "postgres://a:b@pooler/x", "postgres://a:b@primary/x", "postgres://a:b@replica/x"
	got, err := databaseSettings{DatabaseURLFile: file(main), DatabaseDirectURLFile: file(direct), DatabaseReadURLFile: file(read)}.resolved()
	if err != nil || got.DatabaseURL != main || got.DatabaseDirectURL != direct || got.DatabaseReadURL != read {
		t.Errorf("got %q, %q, %q and %v, want the URLs of the files", string(got.DatabaseURL), string(got.DatabaseDirectURL), string(got.DatabaseReadURL), err)
	}
	for name, c := range map[string]struct {
		settings databaseSettings
		want     string
	}{
		"both":       {databaseSettings{DatabaseURL: main, DatabaseDirectURL: direct, DatabaseDirectURLFile: file(direct)}, "both --database-direct-url and --database-direct-url-file are set; set only one"},
		"both reads": {databaseSettings{DatabaseURL: main, DatabaseReadURL: read, DatabaseReadURLFile: file(read)}, "both --database-read-url and --database-read-url-file are set; set only one"},
		"no URL":     {databaseSettings{DatabaseURL: main, DatabaseReadURLFile: file("replica")}, "--database-read-url must begin with postgres://"},
		"alone":      {databaseSettings{DatabaseDirectURLFile: file(direct)}, "need --database-url"},
		"no file":    {databaseSettings{DatabaseURL: main, DatabaseDirectURLFile: filepath.Join(t.TempDir(), "none")}, "none"},
	} {
		if _, err := c.settings.resolved(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}
