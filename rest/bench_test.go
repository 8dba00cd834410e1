package rest

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/repo/repotest"
	"astrolabe/telemetry"
)

// BenchmarkPointRead is one status request through the whole facade.
func BenchmarkPointRead(b *testing.B) {
	handler := Handler(Options{
		Logger: slog.New(slog.DiscardHandler), Metrics: telemetry.NewMetrics(), Health: new(telemetry.Health),
		Chains: []domain.Chain{domain.Mainnet}, Statuses: chain.NewStatuses(repotest.Open(b), time.Minute),
	})
	request := httptest.NewRequest(http.MethodGet, "/v1/SN_MAIN/status", nil)
	b.ReportAllocs()
	for b.Loop() {
		recorder := httptest.NewRecorder()
		handler.ServeHTTP(recorder, request)
		if recorder.Code != http.StatusOK {
			b.Fatal(recorder.Body)
		}
	}
}
