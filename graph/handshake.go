package graph

import (
	"encoding/base64"
	"net/http"
	"slices"
	"strings"

	"astrolabe/access"
	"astrolabe/domain"
)

// checkHandshake refuses what is not a request for a WebSocket, before the
// library does in its own words, headers that show no one key, and pages that
// may not open a socket.
func (h *Handler) checkHandshake(r *http.Request) error {
	key, err := base64.StdEncoding.DecodeString(strings.TrimSpace(r.Header.Get("Sec-WebSocket-Key")))
	wellFormed := err == nil && len(key) == 16 && len(r.Header.Values("Sec-WebSocket-Key")) == 1 &&
		r.Method == http.MethodGet && r.ProtoMajor == 1 && r.ProtoAtLeast(1, 1) &&
		r.Header.Get("Sec-WebSocket-Version") == "13" && upgrades(r.Header)
	if !wellFormed {
		return domain.Errorf(domain.CodeInvalidRequest, "this is not a WebSocket handshake of version 13 over HTTP/1.1")
	}
	if _, err := access.Key(r.Header); err != nil {
		return err
	}
	origin := r.Header.Get("Origin")
	if origin == "" || slices.Contains(h.Origins, origin) || strings.EqualFold(origin, h.Gate.Own(r)) {
		return nil
	}
	return domain.Errorf(domain.CodeForbidden, "pages of this origin may not open a WebSocket here")
}

func upgrades(header http.Header) bool {
	for _, line := range header.Values("Connection") {
		for token := range strings.SplitSeq(line, ",") {
			if strings.EqualFold(strings.TrimSpace(token), "upgrade") {
				return true
			}
		}
	}
	return false
}
