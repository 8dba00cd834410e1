package index

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"astrolabe/domain"
	"astrolabe/node"
)

// change alters the result of a call in place, and reports whether it did.
type change func(result map[string]any) bool

// proxy is a node between a simulated one and the indexer, which lies.
type proxy struct {
	*testing.T
	to   string
	url  string
	lie  atomic.Pointer[lie]
	lied atomic.Int64
}

// lie is a change of the results of one method.
type lie struct {
	method string
	change change
}

// tampered puts a proxy before the world's node and returns it with a client.
func (w *world) tampered() (*proxy, *node.Pool) {
	w.Helper()
	p := &proxy{T: w.T, to: w.url}
	server := httptest.NewServer(p)
	p.url = server.URL
	pool, err := node.Open(node.Options{Chain: domain.Mainnet, URLs: []string{server.URL}})
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() { pool.Close(); server.Close() })
	return p, pool
}

// tell makes the proxy lie; nil makes it honest.
func (p *proxy) tell(l *lie) {
	p.lie.Store(l)
	p.lied.Store(0)
}

// ServeHTTP implements http.Handler.
func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	request, err := http.NewRequestWithContext(r.Context(), http.MethodPost, p.to, bytes.NewReader(body))
	if err != nil {
		p.Error(err)
		return
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(p.tamper(body, answer))
}

func (p *proxy) tamper(body, answer []byte) []byte {
	told := p.lie.Load()
	var question struct{ Method string }
	if told == nil || json.Unmarshal(body, &question) != nil || question.Method != told.method {
		return answer
	}
	decoder := json.NewDecoder(bytes.NewReader(answer))
	decoder.UseNumber()
	var document map[string]any
	if err := decoder.Decode(&document); err != nil {
		p.Error(err)
		return answer
	}
	result, ok := document["result"].(map[string]any)
	if !ok || !told.change(result) {
		return answer
	}
	p.lied.Add(1)
	changed, err := json.Marshal(document)
	if err != nil {
		p.Error(err)
	}
	return changed
}

// at replaces a field.
func at(value any, field string) change {
	return func(result map[string]any) bool {
		_, has := result[field]
		result[field] = value
		return has
	}
}

// stripped leaves the commitments out of a header and changes another field, so
// that its hash cannot be reproduced.
func stripped(value any, field string) change {
	return func(result map[string]any) bool {
		for _, commitment := range []string{"transaction_commitment", "event_commitment", "receipt_commitment", "state_diff_commitment"} {
			result[commitment] = "0x0"
		}
		result["state_diff_length"] = 0
		return at(value, field)(result)
	}
}
