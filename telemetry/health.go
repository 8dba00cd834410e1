package telemetry

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Health answers the liveness and readiness probes of an orchestrator.
type Health struct {
	checks   []check
	draining atomic.Bool

	mu      sync.Mutex // held while the checks run, so that probes share a run
	failing []string   // the names of the checks that failed in the last run
	checked time.Time
}

type check struct {
	name string
	ask  func(context.Context) error
}

const (
	// checkTime is the time limit of the readiness checks.
	checkTime = 2 * time.Second
	// checkEvery is the age to which a result is reused, so that the number of
	// probes does not decide how often the database is asked.
	checkEvery = time.Second
)

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

// Reason is an error of a readiness check whose text may be shown, such as a reason
// code.
type Reason string

// Error implements error.
func (r Reason) Error() string { return string(r) }

// Ready responds with 200 if every check passes, and otherwise with 503 and the
// names of the failed checks, with their reason if that is a Reason. Other causes
// are not shown, because they may contain host names.
func (h *Health) Ready(w http.ResponseWriter, r *http.Request) {
	if h.draining.Load() {
		writeHealth(w, http.StatusServiceUnavailable, "draining", nil)
		return
	}
	if failing := h.run(r.Context()); len(failing) > 0 {
		writeHealth(w, http.StatusServiceUnavailable, "unready", failing)
		return
	}
	writeHealth(w, http.StatusOK, "ready", nil)
}

// run returns the names of the failed checks, from the last run if it is recent.
// A run does not end with the probe that started it.
func (h *Health) run(ctx context.Context) []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.checked.IsZero() && time.Since(h.checked) < checkEvery {
		return h.failing
	}
	checking, cancel := context.WithTimeout(context.WithoutCancel(ctx), checkTime)
	defer cancel()
	h.failing = nil
	for _, c := range h.checks {
		if err := c.ask(checking); err != nil {
			name := c.name
			if reason, ok := errors.AsType[Reason](err); ok {
				name += ": " + string(reason)
			}
			h.failing = append(h.failing, name)
		}
	}
	h.checked = time.Now()
	return h.failing
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
