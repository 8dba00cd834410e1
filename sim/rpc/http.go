package rpc

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"time"

	"astrolabe/sim/fault"
)

// Limits of what a client may send.
const (
	maxBody  = 20 << 20
	maxBatch = 1000
)

// ServeHTTP answers POST with JSON-RPC, upgrades WebSocket requests, and
// answers any other GET with a health check.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Header.Get("Upgrade") != "":
		s.serveSocket(w, r)
	case r.Method == http.MethodPost:
		s.servePost(w, r)
	case r.Method == http.MethodGet:
		_, _ = io.WriteString(w, "a simulated Starknet node: POST JSON-RPC here\n")
	default:
		w.Header().Set("Allow", "GET, POST")
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
	}
}

func (s *Server) servePost(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		http.Error(w, "the body is too large or was cut", http.StatusRequestEntityTooLarge)
		return
	}
	requests, batch, bad := readRequests(body)
	if s.misbehave(w, r, requests) {
		return
	}
	if bad == nil && !batch && s.sendRendered(w, &requests[0]) {
		return
	}
	var answer []byte
	switch {
	case bad != nil:
		answer = encode(s.answer(&request{}, nil, bad))
	case batch:
		answer = s.batch(requests)
	default:
		answer = s.single(&requests[0])
	}
	s.send(w, requests, answer)
}

// readRequests reads one call or a batch.
func readRequests(body []byte) (requests []request, batch bool, bad *Error) {
	body = bytes.TrimSpace(body)
	if len(body) > 0 && body[0] == '[' {
		var raw []json.RawMessage
		if err := json.Unmarshal(body, &raw); err != nil {
			return nil, true, errParse
		}
		if len(raw) == 0 || len(raw) > maxBatch {
			return nil, true, errInvalidRequest
		}
		requests = make([]request, len(raw))
		for i := range raw {
			_ = json.Unmarshal(raw[i], &requests[i]) // an invalid call gets an error response
		}
		return requests, true, nil
	}
	requests = make([]request, 1)
	if !json.Valid(body) {
		return nil, false, errParse
	}
	if err := json.Unmarshal(body, &requests[0]); err != nil {
		return nil, false, errInvalidRequest
	}
	return requests, false, nil
}

// single handles one call; a notification, which has no id, gets no response.
func (s *Server) single(r *request) []byte {
	answer := s.call(r)
	if len(r.ID) == 0 && answer.Error != errInvalidRequest { //nolint:errorlint // It is a fixed answer, not a chain.
		return nil
	}
	return encode(answer)
}

func (s *Server) batch(requests []request) []byte {
	out := []byte{'['}
	for i := range requests {
		answer := s.single(&requests[i])
		if len(answer) == 0 {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(out, answer...)
	}
	if len(out) == 1 {
		return nil
	}
	return append(out, ']')
}

// misbehave applies the faults that precede a response and reports whether one
// replaced it.
func (s *Server) misbehave(w http.ResponseWriter, r *http.Request, requests []request) bool {
	for i := range requests {
		if f, struck := s.faults.Strike(fault.Latency, requests[i].Method); struck {
			timer := time.NewTimer(f.Delay)
			select {
			case <-timer.C:
			case <-r.Context().Done():
				timer.Stop()
				return true
			}
		}
	}
	for i := range requests {
		if f, struck := s.faults.Strike(fault.Status, requests[i].Method); struck {
			s.count(requests[i].Method)
			status := f.Status
			if status == 0 {
				status = http.StatusTooManyRequests
			}
			w.Header().Set("Retry-After", "1")
			http.Error(w, http.StatusText(status), status)
			return true
		}
		if f, struck := s.faults.Strike(fault.Rate, requests[i].Method); struck {
			s.count(requests[i].Method)
			w.Header().Set("Retry-After", strconv.Itoa(max(f.Retry, 1)))
			http.Error(w, http.StatusText(http.StatusTooManyRequests), http.StatusTooManyRequests)
			return true
		}
		if _, struck := s.faults.Strike(fault.Cut, requests[i].Method); struck {
			s.count(requests[i].Method)
			panic(http.ErrAbortHandler)
		}
	}
	return false
}

// send writes a response, or half of it.
func (s *Server) send(w http.ResponseWriter, requests []request, answer []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(answer)))
	for i := range requests {
		if _, struck := s.faults.Strike(fault.Truncate, requests[i].Method); struck {
			_, _ = w.Write(answer[:len(answer)/2])
			panic(http.ErrAbortHandler)
		}
	}
	_, _ = w.Write(answer) // the client may have disconnected
}
