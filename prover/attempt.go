package prover

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptrace"

	"github.com/failsafe-go/failsafe-go/circuitbreaker"

	"astrolabe/domain/prove"
)

// Reserve implements prove.Upstream.
func (c *Client) Reserve(ctx context.Context) (prove.Attempt, bool) {
	for {
		settled := c.probe.settled() // before the circuit is asked, so that no answer is missed
		if c.circuit.TryAcquirePermit() {
			return attempt{c}, true
		}
		switch c.circuit.State() {
		case circuitbreaker.OpenState:
			return nil, false
		case circuitbreaker.HalfOpenState:
			select {
			case <-settled:
			case <-ctx.Done():
				return nil, false
			}
		case circuitbreaker.ClosedState: // since a moment ago
		}
	}
}

// attempt is a permit of the circuit.
type attempt struct{ client *Client }

// Prove implements prove.Attempt.
func (a attempt) Prove(ctx context.Context, params prove.Private) prove.Outcome {
	if ctx.Err() != nil {
		a.Cancel()
		return prove.Undone()
	}
	ctx, cancel := context.WithTimeout(ctx, a.client.options.Timeout)
	defer cancel()
	outcome, answered := a.client.send(ctx, params)
	if answered {
		a.client.circuit.RecordSuccess()
	} else {
		a.client.circuit.RecordFailure()
	}
	return outcome
}

// Cancel implements prove.Attempt. A circuit that waits for this attempt opens
// again, because the prover is as unknown as before. A closed one needs nothing.
func (a attempt) Cancel() {
	if a.client.circuit.IsHalfOpen() {
		a.client.circuit.RecordFailure()
	}
}

// send sends the request, and reports whether the prover itself answered. Until
// there is a connection, nothing was sent. From then on everything may have been.
func (c *Client) send(ctx context.Context, params prove.Private) (outcome prove.Outcome, answered bool) {
	connected := false
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { connected = true }})
	request, err := newRequest(ctx, c.options.URL, params)
	if err != nil {
		return prove.Undone(), false
	}
	response, err := c.http.Do(request)
	switch {
	case err != nil && !connected:
		return prove.Undone(), false
	case err != nil:
		return prove.Lost(), false
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(response.Body, c.options.MaxResponse+1))
	if err != nil || int64(len(text)) > c.options.MaxResponse {
		return prove.Lost(), false
	}
	if outcome, ok := decode(text); ok {
		return outcome, true
	}
	return withoutAnswer(response.StatusCode), false
}

// withoutAnswer is the outcome of an HTTP response without a JSON-RPC answer. The
// statuses that refuse a request say that it was not processed. Every other one
// may come from a gateway that gave up waiting.
func withoutAnswer(status int) prove.Outcome {
	if status >= 400 && status < 500 || status == http.StatusServiceUnavailable {
		return prove.Undone()
	}
	return prove.Lost()
}

// newRequest returns the HTTP request. Its body can be read once: without GetBody
// the transport cannot send it again.
func newRequest(ctx context.Context, url string, params prove.Private) (*http.Request, error) {
	body := encode(params)
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, io.NopCloser(bytes.NewReader(body)))
	if err != nil {
		return nil, err
	}
	request.ContentLength = int64(len(body))
	request.GetBody = nil
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json")
	return request, nil
}
