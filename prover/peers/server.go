package peers

import (
	"context"
	"crypto/hmac"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"regexp"
	"strconv"
	"sync"
	"time"

	"astrolabe/domain/prove"
	"astrolabe/domain/secret"
)

const (
	// window is how far the clocks of two processes may differ.
	window = 30 * time.Second
	// maxQuestion is the maximum size of a request.
	maxQuestion = 1 << 10
)

// Relay is the relay whose results are served.
type Relay interface {
	// Holder returns the identity of this process.
	Holder() prove.Holder
	// Deliver gives away the payload of a job; nil if it is not here.
	Deliver(ctx context.Context, id string) (*prove.Payload, error)
}

// Server answers other processes. It is an http.Handler.
type Server struct {
	relay  Relay
	keys   prove.Keys
	logger *slog.Logger
	now    func() time.Time

	mu   sync.Mutex
	seen map[string]time.Time // nonces of authentic requests, with the time of the request
}

// NewServer returns a server.
func NewServer(relay Relay, keys prove.Keys, logger *slog.Logger) *Server {
	return &Server{relay: relay, keys: keys, logger: logger, now: time.Now, seen: map[string]time.Time{}}
}

// ServeHTTP answers an authentic request with the payload, 204 if there is none, and
// every other request with 401 and nothing more.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q, key, nonce, ok := s.authenticate(w, r)
	if !ok {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	status, body := s.answer(r.Context(), q.Job)
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set(signatureHeader, signAnswer(key, nonce, status, body))
	w.WriteHeader(status)
	_, _ = w.Write(body) // the peer may have disconnected
}

func (s *Server) answer(ctx context.Context, id string) (status int, body []byte) {
	p, err := s.relay.Deliver(ctx, id)
	if err != nil {
		s.logger.Warn("could not deliver a result to another process", "error", err)
		return http.StatusServiceUnavailable, nil
	}
	if p == nil {
		return http.StatusNoContent, nil
	}
	body, _ = json.Marshal(payload{p.Result.Reveal(), p.Message.Reveal(), p.Data.Reveal()}) // bytes always encode
	return http.StatusOK, body
}

var nonceForm = regexp.MustCompile(`^[0-9a-f]{32}$`)

// authenticate returns what an authentic request asks, and the key that signed it.
func (s *Server) authenticate(w http.ResponseWriter, r *http.Request) (q question, key secret.Material, nonce string, ok bool) {
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxQuestion))
	if err != nil || r.Method != http.MethodPost || r.URL.Path != path || json.Unmarshal(text, &q) != nil {
		return q, key, "", false
	}
	at, nonce, given := r.Header.Get(timeHeader), r.Header.Get(nonceHeader), r.Header.Get(signatureHeader)
	for _, key = range s.keys() {
		if hmac.Equal([]byte(given), []byte(q.sign(key, at, nonce))) {
			return q, key, nonce, q.Holder == s.relay.Holder().ID && nonceForm.MatchString(nonce) && s.fresh(at, nonce)
		}
	}
	return q, key, "", false
}

// fresh reports whether the time of a request is now and its nonce is new, and
// remembers that.
func (s *Server) fresh(at, nonce string) bool {
	given, err := strconv.ParseInt(at, 10, 64)
	now := s.now()
	sent := time.UnixMilli(given)
	if err != nil || now.Sub(sent).Abs() > window {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for old, sent := range s.seen {
		if now.Sub(sent) > window { // its request would be refused by its time
			delete(s.seen, old)
		}
	}
	if _, replayed := s.seen[nonce]; replayed {
		return false
	}
	s.seen[nonce] = sent
	return true
}
