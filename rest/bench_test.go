package rest

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"

	"astrolabe/access"
	"astrolabe/access/accesstest"
	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/explorer"
	"astrolabe/repo/accounts"
	"astrolabe/repo/repositories"
	"astrolabe/repo/repotest"
	"astrolabe/rest/frame"
	"astrolabe/telemetry"
)

// measured is the facade over a real database, for benchmarks.
func measured(b *testing.B) (Options, *accesstest.Fixture) {
	b.Helper()
	db := repotest.Open(b)
	fixture := accesstest.New(b, db, time.Now)
	fixture.Gate.Keys.Listening(true) // as in a process that hears of revocations
	return Options{
		Logger: slog.New(slog.DiscardHandler), Metrics: telemetry.NewMetrics(), Health: new(telemetry.Health),
		Chains: []domain.Chain{domain.Mainnet}, Services: explorer.New(explorer.Options{Stores: repositories.Explorer(db), Freshness: time.Minute}),
		Gate: fixture.Gate, Usage: account.NewUsage(accounts.NewUsage(db), time.Now),
	}, fixture
}

// BenchmarkPointRead is one status request through the whole facade, its key
// and budget included.
func BenchmarkPointRead(b *testing.B) {
	options, fixture := measured(b)
	handler := Handler(options)
	request := httptest.NewRequest(http.MethodGet, "/v1/SN_MAIN/status", nil)
	request.Header.Set("X-Service-Api-Key", fixture.Key)
	b.ReportAllocs()
	for b.Loop() {
		recorder := httptest.NewRecorder()
		handler.ServeHTTP(recorder, request)
		if recorder.Code != http.StatusOK {
			b.Fatalf("got %d %s, want 200", recorder.Code, recorder.Body)
		}
	}
}

// BenchmarkLayers is the status route with one layer more each time, from a
// handler that writes the same bytes to the whole facade with a span.
func BenchmarkLayers(b *testing.B) {
	options, fixture := measured(b)
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) }))
	b.Cleanup(collector.Close)
	tracing, err := telemetry.StartTracing(b.Context(), collector.URL, "bench", options.Logger)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = tracing.Stop(context.Background()) })
	request := httptest.NewRequest(http.MethodGet, "/v1/SN_MAIN/status", nil)
	request.Header.Set("X-Service-Api-Key", fixture.Key)
	recorder := httptest.NewRecorder()
	Handler(options).ServeHTTP(recorder, request)

	bare, open, guarded := chi.NewMux(), chi.NewMux(), chi.NewMux()
	s := &server{Options: options, routes: guarded}
	status := s.operations()[0]
	bare.Get(status.Path, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", frame.JSONMedia)
		_, _ = w.Write(recorder.Body.Bytes())
	})
	guarded.Get(status.Path, s.dispatcher().Handler(status))
	status.Permission = ""
	open.Get(status.Path, s.dispatcher().Handler(status))
	framed := s.recover(s.crossOrigin(guarded))
	traced := &server{Options: options, routes: guarded}
	traced.Tracing = tracing
	for _, layer := range []struct {
		name    string
		handler http.Handler
	}{
		{"1-bare-chi-handler", bare},
		{"2-operation", open},
		{"3-key-and-rate-limit", guarded},
		{"4-panics-and-origins", framed},
		{"5-compression", compress(framed)},
		{"6-headers-metrics-usage", s.observe(compress(framed))},
		{"7-span", traced.trace(traced.observe(compress(framed)))},
	} {
		b.Run(layer.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				recorder := httptest.NewRecorder()
				layer.handler.ServeHTTP(recorder, request)
				if recorder.Code != http.StatusOK {
					b.Fatalf("got %d %s, want 200", recorder.Code, recorder.Body)
				}
			}
		})
	}
}

// BenchmarkAuth is the same route over real HTTP with many clients: open to
// everyone, guarded, and refused in two ways.
func BenchmarkAuth(b *testing.B) {
	options, fixture := measured(b)
	refusing := httptest.NewServer(Handler(options)) // as often as it is asked
	b.Cleanup(refusing.Close)
	options.Gate = new(*fixture.Gate)
	options.Gate.Failures = access.NewFailures(time.Now)
	guarded := httptest.NewServer(Handler(options))
	b.Cleanup(guarded.Close)
	s := &server{Options: options, routes: chi.NewMux()}
	status := s.operations()[0]
	status.Permission = ""
	s.routes.Get(status.Path, s.dispatcher().Handler(status))
	open := httptest.NewServer(s.observe(s.recover(s.crossOrigin(s.routes))))
	b.Cleanup(open.Close)
	known, err := account.ParseKeyText(fixture.Key)
	if err != nil {
		b.Fatal(err)
	}
	forged := account.NewKeyText(known.Environment)
	forged.PublicID = known.PublicID
	for _, c := range []struct {
		name, url, key string
		status         int
	}{
		{"open", open.URL, "", http.StatusOK},
		{"guarded", guarded.URL, fixture.Key, http.StatusOK},
		{"unknown-key", refusing.URL, account.NewKeyText(account.Live).Reveal(), http.StatusUnauthorized},
		{"wrong-secret", refusing.URL, forged.Reveal(), http.StatusUnauthorized},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetParallelism(16)
			client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					ask(b, client, c.url+"/v1/SN_MAIN/status", c.key, c.status)
				}
			})
		})
	}
}

func ask(b *testing.B, client *http.Client, url, key string, status int) {
	request, err := http.NewRequestWithContext(b.Context(), http.MethodGet, url, nil)
	if err != nil {
		b.Error(err)
		return
	}
	if key != "" {
		request.Header.Set("X-Service-Api-Key", key)
	}
	response, err := client.Do(request)
	if err != nil {
		b.Error(err)
		return
	}
	_, _ = io.Copy(io.Discard, response.Body)
	_ = response.Body.Close()
	if response.StatusCode != status {
		b.Errorf("%s: got %d, want %d", url, response.StatusCode, status)
	}
}
