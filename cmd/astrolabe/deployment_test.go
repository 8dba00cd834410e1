package main

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"testing"

	"astrolabe/domain/secret"
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
