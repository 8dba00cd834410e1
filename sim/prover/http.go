package prover

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"time"
)

// SpecVersion is what starknet_specVersion returns.
const SpecVersion = "0.10.3-rc.2"

const maxBody = 5 << 20

// ServeHTTP answers POST with JSON-RPC and GET /health.
func (p *Prover) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Method == http.MethodGet && r.URL.Path == "/health":
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"status":"ok"}`)
	case r.Method == http.MethodPost:
		p.servePost(w, r)
	default:
		w.Header().Set("Allow", "POST")
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
	}
}

// call is a JSON-RPC request.
type call struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

// response is a JSON-RPC response.
type response struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  any             `json:"result,omitempty"`
	Error   *Failure        `json:"error,omitempty"`
}

func (p *Prover) servePost(w http.ResponseWriter, r *http.Request) {
	if _, unread := p.next(func(r Reply) bool { return r.act == cutUnread }); unread {
		cut(w, nil)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		http.Error(w, "the body is too large or was cut", http.StatusRequestEntityTooLarge)
		return
	}
	var c call
	if json.Unmarshal(body, &c) != nil {
		send(w, response{ID: json.RawMessage("null"), Error: &Failure{Code: -32700, Message: "Parse error"}})
		return
	}
	switch c.Method {
	case "starknet_specVersion":
		send(w, response{ID: c.ID, Result: SpecVersion})
	case "starknet_proveTransaction":
		p.serveProof(w, r, c)
	default:
		send(w, response{ID: c.ID, Error: &Failure{Code: -32601, Message: "Method not found"}})
	}
}

// serveProof answers a request for a proof, by the queued reply or by the rule.
func (p *Prover) serveProof(w http.ResponseWriter, r *http.Request, c call) {
	var q params
	if json.Unmarshal(c.Params, &q) != nil || q.BlockID == nil || q.Transaction == nil {
		send(w, response{ID: c.ID, Error: &Failure{Code: -32602, Message: "Invalid params"}})
		return
	}
	p.count(q.Transaction)
	reply, block := p.rule(q)
	if scripted, queued := p.next(func(r Reply) bool { return r.act != cutUnread }); queued {
		reply = scripted
	}
	if !p.wait(r.Context(), reply) {
		return
	}
	switch reply.act {
	case hang:
		<-r.Context().Done()
	case cutRead:
		cut(w, nil)
	case status:
		http.Error(w, "not available", reply.status)
	case truncate:
		text, _ := json.Marshal(response{"2.0", c.ID, prove(q.Transaction, block, false, p.now()), nil})
		cut(w, text[:len(text)/2])
	default:
		if reply.failure != nil {
			send(w, response{ID: c.ID, Error: reply.failure})
			return
		}
		send(w, response{ID: c.ID, Result: prove(q.Transaction, block, reply.attested, p.now())})
	}
}

// wait waits as long as a reply is held back and a proof takes. It returns false
// if the client disconnects.
func (p *Prover) wait(ctx context.Context, reply Reply) bool {
	if reply.until != nil {
		select {
		case <-reply.until:
		case <-ctx.Done():
			return false
		}
	}
	if p.work == 0 || reply.act != answer || reply.failure != nil {
		return true
	}
	timer := time.NewTimer(p.work)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// send writes a response.
func send(w http.ResponseWriter, r response) {
	r.Version = "2.0"
	text, err := json.Marshal(r)
	if err != nil {
		http.Error(w, "the answer cannot be encoded", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(text)
}

// cut closes the connection, after the beginning of an answer if there is one.
func cut(w http.ResponseWriter, text []byte) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if text != nil {
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n")
		_, _ = conn.Write(text)
	}
	_ = conn.Close()
}
