package graph

import (
	"net/http"

	"astrolabe/access"
)

// checkHandshake rejects malformed handshakes, conflicting key headers, and
// pages of foreign origins.
func (h *Handler) checkHandshake(r *http.Request) error {
	if err := access.CheckHandshake(r); err != nil {
		return err
	}
	if _, err := access.Key(r.Header); err != nil {
		return err
	}
	return h.Gate.CheckOrigin(r, h.Origins)
}
