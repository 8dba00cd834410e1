package graph

import (
	"encoding/base64"
	"net/http"
	"strings"

	"astrolabe/access"
	"astrolabe/domain"
)

// checkHandshake rejects malformed handshakes, so that the error has the format
// of all others, conflicting key headers, and pages of foreign origins.
func (h *Handler) checkHandshake(r *http.Request) error {
	key, err := base64.StdEncoding.DecodeString(strings.TrimSpace(r.Header.Get("Sec-WebSocket-Key")))
	wellFormed := err == nil && len(key) == 16 && len(r.Header.Values("Sec-WebSocket-Key")) == 1 &&
		r.Method == http.MethodGet && r.ProtoMajor == 1 && r.ProtoAtLeast(1, 1) &&
		r.Header.Get("Sec-WebSocket-Version") == "13" && upgrades(r.Header)
	if !wellFormed {
		return domain.Errorf(domain.CodeInvalidRequest, "The request must be a WebSocket handshake of version 13 over HTTP/1.1.")
	}
	if _, err := access.Key(r.Header); err != nil {
		return err
	}
	return h.Gate.CheckOrigin(r, h.Origins)
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
