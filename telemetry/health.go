package telemetry

import (
	"context"
	"encoding/json"
	"net/http"
	"sync/atomic"
	"time"
)

// Health answers the two questions of an orchestrator: does the process live,
// and may it be sent requests.
type Health struct {
	checks   []check
	draining atomic.Bool
}

type check struct {
	name string
	ask  func(context.Context) error
}

// checkTime bounds one readiness check.
const checkTime = 2 * time.Second

// Check adds a condition of readiness. It must be called before the first
// request.
func (h *Health) Check(name string, ask func(context.Context) error) {
	h.checks = append(h.checks, check{name, ask})
}

// Drain makes the process unready, so that no new requests are sent to it
// while it finishes those it has.
func (h *Health) Drain() { h.draining.Store(true) }

// Live answers 200 as long as the process can answer at all.
func (h *Health) Live(w http.ResponseWriter, _ *http.Request) {
	writeHealth(w, http.StatusOK, "live", nil)
}

// Ready answers 200 when every check passes, else 503 with the names of those
// that do not. Causes stay in the log: they may name hosts.
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
