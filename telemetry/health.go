package telemetry

import (
	"context"
	"encoding/json"
	"net/http"
	"sync/atomic"
	"time"
)

// Health answers the liveness and readiness probes of an orchestrator.
type Health struct {
	checks   []check
	draining atomic.Bool
}

type check struct {
	name string
	ask  func(context.Context) error
}

// checkTime is the time limit of a readiness check.
const checkTime = 2 * time.Second

// Check adds a readiness check. It must be called before the first request.
func (h *Health) Check(name string, ask func(context.Context) error) {
	h.checks = append(h.checks, check{name, ask})
}

// Drain makes the process unready, so that it gets no new requests while it
// finishes the current ones.
func (h *Health) Drain() { h.draining.Store(true) }

// Live always responds with 200.
func (h *Health) Live(w http.ResponseWriter, _ *http.Request) {
	writeHealth(w, http.StatusOK, "live", nil)
}

// Ready responds with 200 if every check passes, and otherwise with 503 and the
// names of the failed checks. Causes are only logged, because they may contain
// host names.
func (h *Health) Ready(w http.ResponseWriter, r *http.Request) {
	if h.draining.Load() {
		writeHealth(w, http.StatusServiceUnavailable, "draining", nil)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), checkTime)
	defer cancel()
	var failing []string
	for _, c := range h.checks {
		if c.ask(ctx) != nil {
			failing = append(failing, c.name)
		}
	}
	if len(failing) > 0 {
		writeHealth(w, http.StatusServiceUnavailable, "unready", failing)
		return
	}
	writeHealth(w, http.StatusOK, "ready", nil)
}

func writeHealth(w http.ResponseWriter, status int, state string, failing []string) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "private, no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(struct {
		Status  string   `json:"status"`
		Failing []string `json:"failing,omitempty"`
	}{state, failing})
}
