package telemetry

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestReadinessIsCheckedAtMostOncePerSecond(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int64
		var broken atomic.Bool
		h := new(Health)
		h.Check("database", func(context.Context) error {
			asked.Add(1)
			if broken.Load() {
				return errors.New("no answer")
			}
			return nil
		})
		probe := func() int {
			w := httptest.NewRecorder()
			h.Ready(w, httptest.NewRequest(http.MethodGet, "/readyz", nil))
			return w.Code
		}
		var probes sync.WaitGroup
		for range 50 {
			probes.Go(func() {
				if got := probe(); got != http.StatusOK {
					t.Errorf("got %d, want 200", got)
				}
			})
		}
		probes.Wait()
		broken.Store(true)
		if got := probe(); got != http.StatusOK || asked.Load() != 1 {
			t.Errorf("got %d after %d checks, want 200 after 1", got, asked.Load())
		}
		time.Sleep(checkEvery)
		if got := probe(); got != http.StatusServiceUnavailable || asked.Load() != 2 {
			t.Errorf("got %d after %d checks, want 503 after 2", got, asked.Load())
		}
	})
}
