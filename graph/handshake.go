package graph

import (
	"net/http"
	"slices"
	"strings"

	"astrolabe/access"
	"astrolabe/domain"
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
	origin := r.Header.Get("Origin")
	if origin == "" || slices.Contains(h.Origins, origin) || strings.EqualFold(origin, h.Gate.Own(r)) {
		return nil
	}
	return domain.Errorf(domain.CodeForbidden, "Pages of this origin may not open a WebSocket. Ask the operator to allow the origin.")
}
