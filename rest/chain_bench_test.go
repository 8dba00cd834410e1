package rest

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"astrolabe/access/accesstest"
	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/explorer"
	"astrolabe/repo/accounts"
	"astrolabe/repo/repositories"
	"astrolabe/repo/repotest"
	"astrolabe/telemetry"
)

// BenchmarkChain reads a final block and transaction by hash through the whole
// facade, from the database and from memory.
func BenchmarkChain(b *testing.B) {
	db := repotest.OpenTemplate(b, repotest.Followed)
	fixture := accesstest.New(b, db, time.Now)
	fixture.Gate.Keys.Listening(true)
	services := explorer.New(explorer.Options{Stores: repositories.Explorer(db), Freshness: time.Minute})
	handler := Handler(Options{
		Logger: slog.New(slog.DiscardHandler), Metrics: telemetry.NewMetrics(), Health: new(telemetry.Health),
		Chains: []domain.Chain{domain.Mainnet}, Services: services, Gate: fixture.Gate, Usage: account.NewUsage(accounts.NewUsage(db), time.Now),
	})
	block := repotest.Everyday(b)[28]
	for name, path := range map[string]string{
		"block": "/v1/SN_MAIN/block/" + block.Header.Hash.String(),
		"tx":    "/v1/SN_MAIN/tx/" + block.Transactions[15].Hash.String(),
	} {
		for from, remembered := range map[string]bool{"database": false, "memory": true} {
			b.Run(name+"/"+from, func(b *testing.B) {
				services.Cache.Listening(remembered)
				request := httptest.NewRequest(http.MethodGet, path, nil)
				request.Header.Set("X-Service-Api-Key", fixture.Key)
				b.ReportAllocs()
				for b.Loop() {
					recorder := httptest.NewRecorder()
					handler.ServeHTTP(recorder, request)
					if recorder.Code != http.StatusOK {
						b.Fatalf("got %d %s, want 200", recorder.Code, recorder.Body)
					}
				}
			})
		}
	}
}
