package main

import (
	"log/slog"
	"path/filepath"
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
		db, err := openDatabase(t.Context(), &console{logger: slog.New(slog.DiscardHandler), metrics: telemetry.NewMetrics()}, settings)
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
