package access

import (
	"encoding/base64"
	"net/http"
	"strings"

	"astrolabe/domain"
)

// CheckHandshake rejects a request that is not a WebSocket handshake with
// invalid_request, so that the error has the format of all others.
func CheckHandshake(r *http.Request) error {
	key, err := base64.StdEncoding.DecodeString(strings.TrimSpace(r.Header.Get("Sec-WebSocket-Key")))
	wellFormed := err == nil && len(key) == 16 && len(r.Header.Values("Sec-WebSocket-Key")) == 1 &&
		r.Method == http.MethodGet && r.ProtoMajor == 1 && r.ProtoAtLeast(1, 1) &&
		r.Header.Get("Sec-WebSocket-Version") == "13" && strings.EqualFold(r.Header.Get("Upgrade"), "websocket") && upgrades(r.Header)
	if !wellFormed {
		return domain.Errorf(domain.CodeInvalidRequest, "The request must be a WebSocket handshake of version 13 over HTTP/1.1.")
	}
	return nil
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
