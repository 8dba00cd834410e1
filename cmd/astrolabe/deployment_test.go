package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
	"astrolabe/domain/secret"
	"astrolabe/pg/pgtest"
	"astrolabe/repo"
	"astrolabe/repo/accounts"
	"astrolabe/repo/repotest"
	"astrolabe/telemetry"
)

// TestDrainIsReported stops a deployment while a component is still working: the
// admin listener reports that the process is draining until the component is done.
func TestDrainIsReported(t *testing.T) {
	t.Parallel()
	db := repotest.Open(t)
	ring, err := secret.Open(t.Context(), accounts.NewSecrets(db), secret.NewMaster())
	if err != nil {
		t.Fatal(err)
	}
	d := &deployment{
		console: &console{stdout: io.Discard, logger: slog.New(slog.DiscardHandler), metrics: telemetry.NewMetrics()},
		db:      &database{DB: db}, ring: ring, health: new(telemetry.Health),
	}
	ctx, stop := context.WithCancel(t.Context())
	address, release, ended := make(chan string, 1), make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- d.run(ctx, "127.0.0.1:0", func(operators *admin) ([]component, error) {
			address <- operators.url()
			return []component{func(context.Context) error { <-release; return nil }}, nil
		})
	}()
	url := <-address
	if !ready(t, url) {
		t.Error("got a running process that is not ready, want it ready")
	}
	stop()
	for ready(t, url) { // until the stop takes effect
	}
	close(release)
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// ready requests /readyz, which must respond throughout the drain.
func ready(t *testing.T, url string) bool {
	t.Helper()
	response, err := http.Get(url + "/readyz")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	return response.StatusCode == http.StatusOK
}

// TestADatabaseThatTakesNoWritesIsLoggedOnceUntilItIsBack makes the database
// read-only, and writable again.
func TestADatabaseThatTakesNoWritesIsLoggedOnceUntilItIsBack(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t, repotest.Migrated)
	db, err := repo.Open(t.Context(), repo.Options{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	operator, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = operator.Close(context.WithoutCancel(t.Context())) })
	readOnly := func(value string) {
		t.Helper()
		_, err := operator.Exec(t.Context(), `SET default_transaction_read_only = off; DO $$ BEGIN
			EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = `+value+`', current_database());
			PERFORM pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid(); END $$`)
		if err != nil {
			t.Fatal(err)
		}
	}
	logged := make(lineWriter, 100)
	d := newDeployment(&console{logger: slog.New(slog.NewTextHandler(logged, nil))}, &database{DB: db})
	readOnly("on")
	go func() { _ = d.watchDatabase(t.Context()) }()
	if line := <-logged; !strings.Contains(line, "the database takes no writes") {
		t.Errorf("got %q, want that the database takes no writes", line)
	}
	readOnly("off")
	if line := <-logged; !strings.Contains(line, "the database is back") {
		t.Errorf("got %q, want that the database is back", line)
	}
}

// lineWriter passes on each write.
type lineWriter chan string

// Write implements io.Writer.
func (w lineWriter) Write(line []byte) (int, error) {
	w <- string(line)
	return len(line), nil
}

// TestEqualFailuresOfRequestsAreLoggedOnceAMinute lets requests fail for 90 seconds
// because of a node. Unexpected failures are logged one by one, because each client
// was told that the operator can find its request ID in the log.
func TestEqualFailuresOfRequestsAreLoggedOnceAMinute(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		logger := newDeployment(&console{logger: slog.New(slog.NewTextHandler(&log, nil))}, nil).logger
		fail := func(failure *domain.Error) {
			logger.Error("request failed", "requestId", time.Now().UnixNano(), "code", failure.Code, "error", failure)
		}
		for range 90 { // seconds
			fail(domain.Unavailable(time.Second, errors.New("refused"), "The node is unreachable. Retry."))
			time.Sleep(time.Second)
		}
		fail(domain.Unavailable(time.Second, errors.New("late"), "The database is full."))
		fail(domain.Errorf(domain.CodeInternal, "The service failed."))
		fail(domain.Errorf(domain.CodeInternal, "The service failed."))
		for text, want := range map[string]int{"unreachable": 2, "repeated=59": 1, "full": 1, "internal_error ": 2} {
			if n := strings.Count(log.String(), text); n != want {
				t.Errorf("got %q %d times, want %d:\n%s", text, n, want, log.String())
			}
		}
	})
}
